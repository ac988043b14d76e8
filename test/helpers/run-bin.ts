import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { execa, type Options } from 'execa'
import { onTestFinished } from 'vitest'
import { checkResult } from './check-result.ts'

/** The built command line: these tests drive what a user installs. */
export const bin = fileURLToPath(new URL('../../bin/callyard.js', import.meta.url))

interface BinOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
}

const options = ({ cwd, env, input }: BinOptions) =>
  ({
    reject: false,
    extendEnv: false,
    // A person's own settings must not reach a test.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '', ...env },
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
  }) as const satisfies Options

/** Runs the built command to its end. Never rejects: the exit code is part of the result. */
export async function runBin(argv: readonly string[], settings: BinOptions = {}) {
  const { exitCode, stdout, stderr, signal } = await execa(
    process.execPath,
    [bin, ...argv],
    options(settings),
  )
  if (signal === undefined) await checkResult(argv, stdout === '' ? '' : `${stdout}\n`)
  return { exitCode, stdout, stderr, signal }
}

/** Starts the built command; it is ended with the test at the latest. */
export function startBin(argv: readonly string[], settings: BinOptions = {}) {
  const child = execa(process.execPath, [bin, ...argv], options(settings))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    const { stdout, isTerminated } = await child
    // A kill may leave the last line unfinished.
    await checkResult(argv, isTerminated ? stdout.slice(0, stdout.lastIndexOf('\n') + 1) : `${stdout}\n`)
  })
  return child
}

/** The lines of a stream as they arrive. The stream is read on even when no more lines are asked for: it must be able to end. */
export function lines(stream: NodeJS.ReadableStream | null): AsyncGenerator<string, undefined> {
  const waiting: string[] = []
  let ended = false
  let wake = () => {}
  const arrived = (line?: string) => {
    if (line === undefined) ended = true
    else waiting.push(line)
    wake()
  }
  if (stream === null) ended = true
  else createInterface({ input: stream }).on('line', arrived).on('close', arrived)
  return (async function* () {
    while (true) {
      const line = waiting.shift()
      if (line !== undefined) yield line
      else if (ended) return undefined
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  })()
}

/** An empty folder that is removed with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-e2e-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
