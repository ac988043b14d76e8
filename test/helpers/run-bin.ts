import { mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa, type Options } from 'execa'
import { onTestFinished } from 'vitest'
import { getErrorCode } from '../../src/lib/error.ts'
import { checkResult } from './check-result.ts'
import { jsonLines, lines } from './json-lines.ts'
import { post } from './target-server.ts'

/** Folder of the package: bin/, dist/ and the sources. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The built command line behind a link on the PATH, as an installation has it: these tests drive what a user installs. */
export const bin = linkOnPath()

/** PATH of the tests, with callyard. */
export const pathWithBin = `${dirname(bin)}${delimiter}${process.env.PATH}`

function linkOnPath(): string {
  const folder = join(root, '.packed/bin')
  const link = join(folder, 'callyard')
  mkdirSync(folder, { recursive: true })
  try {
    symlinkSync('../../bin/callyard.js', link)
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
  }
  return link
}

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
    env: {
      PATH: pathWithBin,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      NO_COLOR: '',
      ...env,
    },
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

/** Starts the built command, whose stdout is a JSON line per event: a stream with `--json`. */
export function startStream(argv: readonly string[], settings: BinOptions = {}) {
  const child = startBin(argv, settings)
  const stream = lines(child.stdout)
  const events: Record<string, unknown>[] = []
  return {
    child,
    stream,
    /** Events that were read so far. */
    events,
    /** Waits for the next event, or the next one of a kind; earlier ones are discarded. Rejects if the command ends without it. */
    async next(kind?: string) {
      // A loop would close the stream at its end.
      for (let line = await stream.next(); line.value !== undefined; line = await stream.next()) {
        const event = JSON.parse(line.value)
        events.push(event)
        if (kind === undefined || event.kind === kind) return event
      }
      throw new Error(`${argv.join(' ')} ended without ${kind ?? 'an event'}:\n${(await child).stderr}`)
    },
    /** Waits for the end of the command, and returns the remaining events. */
    async rest() {
      const rest: string[] = []
      for await (const line of stream) rest.push(line)
      const last = jsonLines(rest.join('\n'))
      events.push(...last)
      return last
    },
  }
}

/** Starts the built `sandbox start` on a free port. No call waits for speech. */
export async function startBuiltSandbox(flags: readonly string[] = [], settings: BinOptions = {}) {
  const argv = ['sandbox', 'start', '--port', '0', '--pace', '0', '--json', ...flags]
  const sandbox = startStream(argv, settings)
  const { baseUrl, apiKey, controlToken } = await sandbox.next('ready')
  const env = { CALLYARD_BASE_URL: String(baseUrl), CALLYARD_API_KEY: String(apiKey) }
  return {
    ...sandbox,
    baseUrl: String(baseUrl),
    apiKey: String(apiKey),
    controlToken: String(controlToken),
    /** For commands at this sandbox. */
    env,
  }
}

/** Starts the built `webhook tail` on a free port. */
export async function startBuiltTail(flags: readonly string[] = [], settings: BinOptions = {}) {
  const tail = startStream(['webhook', 'tail', '--port', '0', '--json', ...flags], settings)
  const { url } = await tail.next('ready')
  return { ...tail, url: String(url), post: (body: unknown) => post(url, body) }
}
