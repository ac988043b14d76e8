import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, Host } from './context.ts'
import { createPrompts } from './output/create-prompts.ts'

/** The real process as a host. A second Ctrl-C ends at once, whatever the command is doing. */
export function processHost(): Host {
  const { stdin, stdout, stderr, env } = process
  const ending = new AbortController()
  const interrupt = (name: NodeJS.Signals) => {
    if (ending.signal.aborted) process.exit(130)
    ending.abort(name)
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  // A reader that went away (`callwright … | head -1`) is no error: end quietly, and write no more.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    ending.abort('EPIPE')
  })
  return {
    argv: process.argv.slice(2),
    exitCode(code) {
      process.exitCode = code
    },
    cwd: process.cwd(),
    env,
    stdout,
    stderr,
    clock: systemClock,
    signal: ending.signal,
    readInput: () => readAll(stdin),
    prompts: options => createPrompts({ stdin, stderr }, { options, env, signal: ending.signal }),
  }
}

const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal })
  },
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
