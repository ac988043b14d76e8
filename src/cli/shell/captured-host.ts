import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isObject, parseJson } from '../../lib/json.ts'
import type { CapturedRun, Host, InheritedHost, Sink } from './context.ts'
import { createPrompts } from './output/create-prompts.ts'
import { readLines } from './output/read-input.ts'

export interface CaptureOptions extends InheritedHost {
  /** Complete stdin, or its chunks as they arrive. Default: empty. */
  readonly input?: string | AsyncIterable<string | Uint8Array> | undefined
  /** Called with each text that the command prints. */
  readonly onPrint?: ((printed: string, stream: 'stdout' | 'stderr') => void) | undefined
  /** Default: true. */
  readonly json?: boolean | undefined
  /** Default: no second signal is sent. */
  readonly takeSecondSignal?: Host['takeSecondSignal'] | undefined
}

/**
 * Runs a command inside this process and returns its result as a value. Touches no global of the process, so several can run at once.
 * @param run `runProgram`, which this module cannot import: the command tree lies above it
 */
export async function runCaptured(
  run: (argv: readonly string[], host: Host) => Promise<number>,
  argv: readonly string[],
  options: CaptureOptions,
): Promise<CapturedRun> {
  const { json = true } = options
  const { host, printed } = createCapturedHost(json ? ['--json', ...argv] : argv, options)
  const exitCode = await run(host.argv, host)
  return { exitCode, result: json ? resultIn(printed.stdout) : undefined, ...printed }
}

/** A host without a terminal or a process that keeps what is printed. */
export function createCapturedHost(argv: readonly string[], options: CaptureOptions) {
  const { input = '', onPrint, json: _, takeSecondSignal = () => () => undefined, ...overrides } = options
  const printed = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof printed): Sink => ({
    write(chunk) {
      const added = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      printed[name] += added
      onPrint?.(added, name)
    },
  })
  const stdin = () => Readable.from(typeof input === 'string' ? [input] : input)
  const host: Host = {
    ...overrides,
    argv,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    takeSignals: () => () => undefined,
    takeSecondSignal,
    exitCode() {},
    stdin: {
      isTerminal: false,
      text: () => text(stdin()),
      async *bytes() {
        for await (const chunk of stdin()) yield Buffer.from(chunk)
      },
      lines: async () => readLines(stdin()),
      keys: async () => () => undefined,
    },
    openEditor: async () => undefined,
    hasTerminal: false,
    prompts: global =>
      createPrompts({ stdin: stdin(), stderr: new PassThrough() }, { ...overrides, options: global }),
  }
  return { host, printed }
}

/** Events take one line each and have a kind, as the document of a failure; another document with fields takes several lines. */
export function resultIn(stdout: string): unknown {
  const first = parseJson(stdout.slice(0, stdout.indexOf('\n')))
  if (!isObject(first) || !('kind' in first)) return parseJson(stdout)
  const lines = stdout.trimEnd().split('\n').map(parseJson)
  return lines.length === 1 && first.kind === 'error' ? first : lines
}
