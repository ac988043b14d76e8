import type { Grant } from '../../calls/approval/index.ts'
import type { CheckedFile, Diagnostic, FileRules } from '../../files/source/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import type { CallyardError } from '../../lib/error.ts'
import type { ProgramEnvironment } from '../../lib/process/program-environment.ts'
import type { Text } from '../../lib/text/text.ts'
import type { Api, NotStored, Retry } from '../../service/api/index.ts'
import type { LockedKey, Settings } from '../../service/profile/index.ts'
import type { GlobalOptions } from './flags/flag.ts'
import type { Advised } from './hints.ts'
import type { RunFlags } from './project-hints.ts'
import type { FirstDiagnostics } from './render/diagnostics.ts'

export interface Progress {
  /** True if a person sees it; otherwise a command may print its text to stderr. */
  readonly isShown: boolean
  /**
   * Sets the number of finished items, the text after it, such as the item in progress, and lines below them. All are truncated to the
   * width.
   */
  update(doneCount: number, label?: string, below?: readonly string[]): void
  /** Removes the bar or spinner. */
  stop(): void
}

/**
 * The only way to a terminal or pipe. stdout is data, stderr is talk; `--json` changes rendering only: a command hands
 * over its data and how a person would read it, and never asks which was wanted.
 */
export interface Output {
  /** Returns an output with some members replaced. */
  with(changes: Partial<Output>): Output
  readonly json: boolean
  /** Current width of the terminal in columns, which may change; 80 without a terminal. */
  readonly width: number
  /** The result of the command, on stdout: one JSON document, or what `human` returns. Called at most once. */
  result(data: unknown, human: () => Text): void
  /**
   * Starts a --json document whose list is written item by item. It is closed by `end`, or by the failure that ends the command.
   * Writes nothing without --json.
   */
  list(name: string): OutputList
  /**
   * One event of a stream, on stdout: one JSON line, or what `human` returns (undefined prints nothing). Dropped if the reader of stdout has
   * stalled; the number of such events is the next line, `events-dropped`.
   */
  event<Data extends { readonly kind: string }>(data: Data, human: () => Text | undefined): void
  /**
   * Resolves once the reader of stdout has caught up, or when the command must end; streams await it between events. `live` events keep
   * arriving, so only pipes are awaited, not terminals.
   */
  drained(options?: { readonly live?: boolean }): Promise<void>
  /** Raw bytes for stdout, unescaped: scripts and schemas that we wrote ourselves. */
  raw(text: string): void
  /**
   * Writes JSON or YAML text with runner commands escaped; its values and numbers stay the same. In YAML, strings that may contain
   * commands must be double-quoted.
   */
  data(text: string): void
  /**
   * Writes bytes of the service unchanged to a file or a pipe; on a CI runner, commands in UTF-8 text are escaped. Writes nothing and
   * returns false if stdout is a terminal.
   */
  bytes(body: Uint8Array): boolean
  /** Prints a note to stderr; hidden by --quiet unless a flag asked for it. */
  note(message: Text, options?: { readonly isRequested?: boolean }): void
  /** Prints a warning to stderr, even with --quiet. */
  warn(message: Text, hint?: string): void
  /** Prints findings to stderr as a compiler does, even with --quiet: all of them, or the first ones of each code. */
  findings(diagnostics: readonly Diagnostic[], first?: FirstDiagnostics): void
  /** Only with --debug, on stderr. */
  debug(message: string): void
  /** A bar or spinner on stderr where that is a terminal; elsewhere nothing. `total` undefined spins. */
  progress(label: string, total?: number): Progress
  /** Findings as annotations of a GitHub workflow, on stderr; nothing where GITHUB_ACTIONS is not `true`. */
  annotate(diagnostics: readonly Diagnostic[]): void
  /**
   * The error that ends the command. With --json also the document on stdout, with commands to try next, unless the result is already
   * there.
   */
  failure(error: unknown, next?: readonly string[]): void
}

export interface OutputList {
  item(value: unknown): void
  /** Closes the document with the remaining fields. */
  end(rest: Readonly<Record<string, unknown>>): void
}

export interface Question {
  readonly message: string
  /** Flag or argument that replaces the prompt; named if prompting is not possible. */
  readonly flag: string
  readonly default?: string
  /** Returns true or the error message. Called when the user presses Enter; text questions also call it while the user types. */
  readonly validate?: (answer: string) => true | string | Promise<true | string>
}

/** Questions to a person. Each throws a usage error that names the flag when stdin is not a terminal. */
export interface Prompts {
  /** True when stdin and stderr are terminals, and neither --no-input nor --json was given. */
  readonly available: boolean
  /**
   * True if a command must confirm what it does. Scripts are not asked: false without a terminal, with --json and in CI. With
   * --no-input on a terminal `confirm` throws.
   */
  readonly confirms: boolean
  text(question: Question): Promise<string>
  secret(question: Question): Promise<string>
  /** Enter alone is a no. */
  confirm(question: Question): Promise<boolean>
  select(question: Omit<Question, 'validate'> & { readonly choices: readonly string[] }): Promise<string>
  /** Any number of them; gives their places among the choices. */
  choose(
    question: Omit<Question, 'validate' | 'default'> & {
      readonly choices: readonly { readonly name: string; readonly checked: boolean }[]
    },
  ): Promise<readonly number[]>
}

/**
 * Opens the encrypted key of a profile: the person is asked for the passphrase once in a command.
 * @throws CallyardError `unauthorized` without a terminal
 */
export type UnlockKey = (key: LockedKey) => Promise<string>

/** Lines that come in one by one, without their ends. For one reader. */
export interface LineSource {
  /** Ends with the input, or with close(). */
  readonly lines: AsyncIterable<string>
  /** Frees the input, so that the process can end. */
  close(): void
}

/**
 * A line that a person edits at the bottom of the terminal, while text comes up above it. Ctrl-D on an empty line ends
 * `lines`; Ctrl-C is the signal.
 */
export interface LineEditor extends LineSource {
  /** Columns of the terminal, now. */
  readonly width: number
  /** Sets the prompt, and the text above it that may still change; only as much of its end as fits is shown. */
  show(parts: { readonly above?: Text; readonly prompt?: Text }): void
  /** Takes the line away while something is written to stdout or stderr, and puts it back below. */
  aside(write: () => void): void
}

export interface EditorOptions {
  /** Returns the completions of the line up to the cursor. */
  readonly complete?: (line: string) => readonly string[]
}

/** Stream that the writer writes to; a Node stream, or a test's. */
export interface Sink {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(chunk: string | Uint8Array): unknown
  /** Bytes that its reader has not taken; absent if writes are synchronous. */
  readonly waitingBytes?: number
  /** Resolves when pending output was written; absent if writes are synchronous. */
  drained?(): Promise<void>
}

/** stdin of the process, for one reader. */
export interface Stdin {
  /** True if it is a terminal, which echoes what is typed. */
  readonly isTerminal: boolean
  /** Reads the whole input, for --api-key-stdin and `--body @-`. */
  text(): Promise<string>
  /** The input as it arrives. */
  bytes(): AsyncIterable<Buffer>
  /** The input line by line, as it arrives. */
  lines(): Promise<LineSource>
  /** Calls back with the name of each key that a person presses, until the returned function is called. Without a terminal there are none. */
  keys(onKey: (name: string) => void): Promise<() => void>
}

/** Start of this process. */
interface StartedProcess {
  readonly platform: NodeJS.Platform
  /** Path of the program that Node was given; undefined inside another program. */
  readonly script?: string | undefined
}

/** Parts of the process that a few commands need beside the members of their context. */
export interface CommandHost extends StartedProcess {
  /** Arguments after node and the script. */
  readonly argv: readonly string[]
  readonly stdin: Stdin
  /** True if stdin, stdout and stderr are the controlling terminal of this process: a person can read and type. */
  readonly hasTerminal: boolean
  /**
   * Passes these signals to the function instead of aborting `signal`: a program in the foreground decides how to handle them. Returns a
   * function that restores the default.
   */
  takeSignals(onSignal: (name: NodeJS.Signals) => void): () => void
  /**
   * Calls the function at the second Ctrl-C, SIGTERM or SIGHUP, which otherwise ends the process at once; the third one does. Returns a
   * function that restores the default.
   */
  takeSecondSignal(onSignal: () => void): () => void
  /** Undefined if stdin or stdout is not a terminal that can be drawn on. */
  openEditor(options: GlobalOptions & EditorOptions): Promise<LineEditor | undefined>
}

/** Members of a host that a command inside another one has from it. */
export interface InheritedHost extends StartedProcess {
  readonly cwd: string
  readonly env: Environment
  /** User id; undefined where the platform has none. */
  readonly uid?: number | undefined
  readonly clock: Clock
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP, and when stdout is closed by its reader. */
  readonly signal: AbortSignal
  /** Requests that a person has approved in this process; undefined unless a command runs inside `approve`. */
  readonly grant?: Grant | undefined
  /** Called with each file that the command sends. */
  readonly onSend?: ((file: CheckedFile) => void) | undefined
  /** See FileRules. */
  readonly isForAgent?: boolean | undefined
  /** Default: asks for the passphrase through `prompts`. */
  readonly unlockKey?: UnlockKey | undefined
}

/** Process that main and the commands run in: everything they may touch. Tests pass their own. */
export interface Host extends CommandHost, InheritedHost {
  readonly stdout: Sink
  readonly stderr: Sink
  exitCode(code: number): void
  /** Opens code that an earlier process compiled, before a command is loaded: `call start`, or an empty path for what all commands load. */
  readonly openCode?: (path: string) => Promise<void>
  /** Turns the optimizing compiler off in a short-lived process; absent in a process that continues. */
  skipOptimizer?(): Promise<void>
  prompts(options: GlobalOptions): Prompts
}

/** Called when a request begins to wait for its next attempt; what it returns is called when the wait is over. */
export type RetryListener = (retry: Retry) => () => void

/** Differences from the host of the command that runs another one. */
export interface CommandRunOptions extends Partial<InheritedHost> {
  /** False for the text that a person reads. Default: true. */
  readonly json?: boolean
  /** Complete stdin. Default: empty. */
  readonly input?: string
  /** Called with each text that the command prints to stderr. */
  readonly onNote?: (printed: string) => void
}

export interface CapturedRun {
  readonly exitCode: number
  /** The `--json` document; for a stream, the list of its events. Undefined if the command printed no JSON. */
  readonly result: unknown
  readonly stdout: string
  readonly stderr: string
}

/**
 * Everything a command may touch, created in create-context.ts for each run of a command. Not a class: commands destructure it and pass
 * it to the rooms below, so its functions cannot depend on `this`. `with` is the only way to another one: a copy would open prompts and
 * read variables that the command may not need.
 */
export interface Context {
  /**
   * Returns a context with some members replaced; what was opened or counted is shared. `files`, `resolve` and `runCommand` follow a new
   * `cwd`, `env` or `signal`, and `api` a new `signal`.
   */
  with(changes: Partial<Context>): Context
  readonly cwd: string
  readonly env: Environment
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Turns the optimizing compiler off in a short-lived process. */
  skipOptimizer?(): Promise<void>
  readonly host: CommandHost
  readonly options: GlobalOptions
  readonly files: FileRules
  /** Environment of the programs that this command starts. @throws CallyardError `usage` for an unset variable of --exec-env */
  readonly programEnv: ProgramEnvironment
  readonly output: Output
  readonly prompts: Prompts
  /** The command ends with the exit code of the program that it ran, not with 0. */
  endAs(exitCode: number): void
  /** A key that this opens is also open for the commands that this one runs. */
  readonly unlockKey: UnlockKey
  /** Runs a command inside this process, without a terminal, and returns what it printed. */
  runCommand(argv: readonly string[], options?: CommandRunOptions): Promise<CapturedRun>
  /** A path from the command line, made absolute against cwd. */
  resolve(path: string): string
  /** Base URL, key, vocabulary and where each came from. Read once. */
  settings(): Promise<Settings>
  /**
   * The service. Settings are read and a client is opened at the first request, not before. `batch` is for many requests that
   * belong together: see ApiOptions.
   */
  api(options?: { readonly batch?: boolean }): Api
  /** Fields that the service did not store as they were sent, each with a warning. */
  readonly notStored: readonly NotStored[]
  /** An error with hints that name the flags of this command; anything else unchanged. */
  /** Flags of this run that its hints repeat. */
  readonly runFlags: RunFlags
  withHints(thrown: CallyardError): CallyardError
  withHints(thrown: unknown): unknown
  /** Findings or outcomes with hints that name the flags of this command. */
  withFindingHints<Finding extends Advised>(findings: readonly Finding[]): Finding[]
  /** Hands each retry of `api` to a listener, in place of a line on stderr, until the function that it returns is called. */
  onRetries(listener: RetryListener): () => void
  /** A file that the command sends: no error and no debug line shows what it has of the environment from here on. */
  willSend(file: CheckedFile): void
  /** Every file that willSend was given, in order. */
  readonly sending: readonly CheckedFile[]
}
