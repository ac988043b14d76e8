import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findCommand } from '../../src/cli/commands/help/command-help.ts'
import { buildProgram } from '../../src/cli/commands/program.ts'
import { createCapturedHost } from '../../src/cli/shell/captured-host.ts'
import type { Host, LineEditor, Prompts, Sink } from '../../src/cli/shell/context.ts'
import type { GlobalOptions } from '../../src/cli/shell/flags/flag.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { CallyardError } from '../../src/lib/error.ts'
import { main } from '../../src/main.ts'
import { checkResult } from './check-result.ts'
import { noPause, realClock } from './real-clock.ts'
import { type StubAnswer, type StubRequest, startStubApi } from './stub-api.ts'

export interface RunResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Bytes written to stdout. */
  readonly bytes?: Buffer
}

export interface RunExtra {
  /** Stdin as a whole, or its pieces as they arrive. */
  readonly input?: string | AsyncIterable<string | Uint8Array>
  readonly signal?: AbortSignal
  /** Called once a command takes the second signal, with what sends it. */
  readonly secondSignal?: (send: () => void) => void
  readonly terminal?: boolean
  /** Default: as `terminal`. */
  readonly inputIsTerminal?: boolean
  /** True for a person at a controlling terminal; `type` has the input. */
  readonly hasTerminal?: boolean
  /** Instead of one whose sleeps end at once. */
  readonly clock?: Clock
  /** Called with what the command prints, as it prints it. */
  readonly printed?: (text: string) => void
  /** Instead of the folder of the files. */
  readonly cwd?: string
  /** Beside that of the test. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** A person at the keyboard; `terminal` alone has none. */
  readonly editor?: LineEditor
  /** Called once a command listens to keys, with what presses one. */
  readonly keys?: (press: (name: string) => void) => void
}

export interface TestCli {
  readonly folder: string
  readonly baseUrl: string
  /** Everything that reached the service. */
  readonly requests: readonly StubRequest[]
  /** Milliseconds that the command slept, in order; nothing really sleeps. */
  readonly sleeps: readonly number[]
  /** Queues the response to a request; an unused one fails the test. */
  answer(method: string, path: string, answer: StubAnswer): void
  /** Queues what a person types; without any, questions are refused. */
  type(...answers: string[]): void
  run(...argv: string[]): Promise<RunResult>
  /** The same with text on stdin, or with a signal that ends it. */
  runWith(extra: RunExtra, ...argv: string[]): Promise<RunResult>
  read(file: string): Promise<string>
}

/** A command line without a process: a folder with these files, a stub of the service, its own config folder. */
export async function testCli(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  {
    env = {},
    platform = process.platform,
    uid,
  }: {
    env?: Readonly<Record<string, string | undefined>>
    platform?: NodeJS.Platform
    /** User id; without one, owners of files are not compared. */
    uid?: number | undefined
  } = {},
): Promise<TestCli> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-test-'))
  const config = await mkdtemp(join(tmpdir(), 'callyard-config-'))
  const stub = await startStubApi()
  onTestFinished(async () => {
    await stub.close()
    await rm(folder, { recursive: true, force: true })
    await rm(config, { recursive: true, force: true })
    stub.expectAllUsed()
  })
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }

  const typed: string[] = []
  const sleeps: number[] = []
  const sleepless: Clock = {
    now: () => Date.now(),
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted()
      sleeps.push(milliseconds)
      await noPause(signal)
    },
  }

  async function runWith(
    {
      input = '',
      signal = new AbortController().signal,
      secondSignal,
      terminal = false,
      inputIsTerminal = terminal,
      hasTerminal = false,
      clock = sleepless,
      printed,
      editor,
      keys: pressKey,
      cwd = folder,
      env: more = {},
    }: RunExtra,
    ...argv: string[]
  ): Promise<RunResult> {
    const allEnv = {
      CALLYARD_BASE_URL: stub.baseUrl,
      CALLYARD_API_KEY: 'key-of-the-test',
      CALLYARD_CONFIG_DIR: config,
      ...env,
      ...more,
    }
    const { host: captured, printed: written } = createCapturedHost(argv, {
      ...{ cwd, env: allEnv, platform, uid, clock, signal, input },
      onPrint: printed,
      takeSecondSignal(onSignal) {
        secondSignal?.(onSignal)
        return () => undefined
      },
    })
    const bytes: Buffer[] = []
    const onTerminal = (sink: Sink): Sink => ({
      isTTY: terminal,
      columns: 80,
      write(chunk) {
        if (typeof chunk !== 'string' && chunk.length > 0) bytes.push(Buffer.from(chunk))
        sink.write(chunk)
      },
    })
    const host: Host = {
      ...captured,
      stdout: onTerminal(captured.stdout),
      stderr: onTerminal(captured.stderr),
      stdin: {
        ...captured.stdin,
        isTerminal: inputIsTerminal,
        keys: async onKey => {
          pressKey?.(onKey)
          return () => undefined
        },
      },
      openEditor: async () => editor,
      hasTerminal,
      prompts: options => scriptedPrompts(typed, options, argv),
    }
    const exitCode = await main(argv, host)
    await checkResult(argv, written.stdout)
    return {
      exitCode,
      ...written,
      ...(bytes.length === 0 ? {} : { bytes: Buffer.concat(bytes) }),
    }
  }

  return {
    folder,
    baseUrl: stub.baseUrl,
    requests: stub.requests,
    sleeps,
    answer: stub.answer,
    type: (...answers) => void typed.push(...answers),
    run: (...argv) => runWith({}, ...argv),
    runWith,
    read: file => readFile(join(folder, file), 'utf8'),
  }
}

/** Runs commands in this process in a folder that exists, with the settings of `env` alone and a real clock. */
export async function cliIn(
  cwd: string,
  env: Readonly<Record<string, string | undefined>> = {},
  uid?: number,
): Promise<(argv: readonly string[], extra?: RunExtra) => Promise<RunResult>> {
  const cli = await testCli({}, { uid })
  const none = { CALLYARD_BASE_URL: '', CALLYARD_API_KEY: '' }
  return (argv, extra = {}) =>
    cli.runWith({ cwd, clock: realClock, ...extra, env: { ...none, ...env, ...extra.env } }, ...argv)
}

/** A person with prepared input; input that a prompt rejects fails the test. */
function scriptedPrompts(typed: string[], options: GlobalOptions, argv: readonly string[]): Prompts {
  const available = typed.length > 0 && options.input !== false && options.json !== true
  const next = (flag: string): string => {
    const answer = typed.shift()
    if (!available || answer === undefined)
      throw new CallyardError('usage', `${flag} is missing`, { details: { missing: [flag] } })
    return answer
  }
  const text: Prompts['text'] = async ({ flag, message, validate, default: standard }) => {
    const typedText = next(flag)
    const answer = typedText === '' && standard !== undefined ? standard : typedText
    const verdict = (await validate?.(answer)) ?? true
    if (verdict !== true)
      throw new Error(`${message}: the question refused ${JSON.stringify(answer)}: ${verdict}`)
    return answer
  }
  return {
    available,
    confirms: available || (typed.length > 0 && options.input === false),
    text,
    secret: text,
    confirm: async ({ flag }) => {
      if (flag !== 'approval') await assertYesFlag(argv)
      return next(flag) === 'y'
    },
    select: async ({ flag, choices, default: standard }) => {
      const answer = next(flag) || standard
      if (answer === undefined || !choices.includes(answer))
        throw new Error(`not a choice: ${answer}; choices: ${choices.join(', ')}`)
      return answer
    },
    choose: async ({ flag, choices }) => {
      const answer = next(flag)
      return choices.flatMap(({ name }, index) =>
        answer.split(' | ').some(part => name.includes(part)) ? [index] : [],
      )
    },
  }
}

/** Throws if a command asks for a confirmation that its `--yes` does not answer. */
async function assertYesFlag(argv: readonly string[]): Promise<void> {
  const sink: Sink = { columns: 80, write: () => true }
  const root = buildProgram(async () => {}, { stdout: sink, stderr: sink })
  const { command } = await findCommand(root, argv)
  if (command.options.every(({ long }) => long !== '--yes'))
    throw new Error(`callyard ${argv.join(' ')} asks for a confirmation, and has no --yes`)
}
