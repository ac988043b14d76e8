import { CommanderError, type Option } from '@commander-js/extra-typings'
import { CallyardError, getErrorCode } from '../../lib/error.ts'
import type { Runner } from '../shell/cli-command.ts'
import type { Host, Output } from '../shell/context.ts'
import { createContext } from '../shell/create-context.ts'
import { exitCodeOf } from '../shell/exit-codes.ts'
import type { AnyCommand, GlobalOptions } from '../shell/flags/flag.ts'
import { withHints } from '../shell/hints.ts'
import { createOutput, loadStyling } from '../shell/output/create-output.ts'
import { abandonOnSignal } from './abandon-on-signal.ts'
import { helpPage } from './help/help.ts'
import { buildProgram, commandPaths } from './program.ts'

/** Parses argv, runs one command, and turns what it throws into text and an exit code: the only catch-all. */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  let exitCode = 0
  const run: Runner = async (command, work, { handlesSignal }) => {
    const options: GlobalOptions = command.optsWithGlobals()
    const envFromFiles =
      options.envFile && (await import('../shell/env-files.ts')).readEnvFiles(options.envFile, host.cwd)
    const opened = createContext(host, options, styling, { command, runProgram, envFromFiles })
    const { context } = opened
    running = command
    output = context.output
    try {
      await (handlesSignal ? work(context) : abandonOnSignal(work(context), host, cancelled))
      exitCode = opened.exitCode
    } finally {
      await opened.close()
    }
  }
  const program = buildProgram(run, host)
  // Until the options are parsed, an error of parsing itself must already honour --json.
  const look = { ...switchesIn(untilProgram(argv), program.options), env: host.env }
  const styling = await loadStyling([host.stdout, host.stderr], look, commandPaths())
  let output: Output = createOutput(host, look, styling)
  let running: AnyCommand | undefined
  try {
    if (asksForHelp(argv)) host.stdout.write(await helpPage(program, argv, { all: argv.includes('--all') }))
    else await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (thrown) {
    if (getErrorCode(thrown) === 'commander.helpDisplayed') {
      const words = argv.slice(0, argv.findIndex(isHelpFlag))
      host.stdout.write(await helpPage(program, words, { all: argv.includes('--all') }))
      return 0
    }
    if (getErrorCode(thrown) === 'commander.help') host.stderr.write(await helpPage(program, argv))
    const hinted = withHints(thrown, running)
    // An upgrade removes what is not loaded yet: then the usage line is missing.
    const error = explain(await withUsage(hinted, program, argv).catch(() => hinted), host)
    if (error === undefined) return 0
    output.failure(error, await suggestions(error, program, argv, output))
    return exitCodeOf(error)
  } finally {
    // The doctor writes nothing, not even into the cache.
    if (isPerson(host, look) && !argv.includes('doctor')) await mentionUpdate(host, output)
  }
}

/** True if a person reads everything: output that is piped or parsed gets no notice. */
function isPerson({ stdout, stderr, signal }: Host, { json, quiet }: GlobalOptions): boolean {
  return stdout.isTTY === true && stderr.isTTY === true && json !== true && quiet !== true && !signal.aborted
}

/** A newer version, once a day. Nothing if callyard was upgraded meanwhile: the outcome of the command stays. */
async function mentionUpdate(host: Host, output: Output): Promise<void> {
  const { newerVersion } = (await import('./newer-version.ts').catch(() => undefined)) ?? {}
  const notice = newerVersion?.(host)
  if (notice !== undefined) output.note(notice)
}

/** `-h` as the last word requests help while typing, so the words before it may be incomplete. */
function asksForHelp(argv: readonly string[]): boolean {
  const last = argv.at(-1)
  return last === undefined || (isHelpFlag(last) && !argv.includes('--'))
}

function isHelpFlag(word: string): boolean {
  return word === '-h' || word === '--help'
}

const cancelled = () => new CallyardError('cancelled', 'cancelled')

/** Returns the words before `--`. */
function untilProgram(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** Returns the flags without a value, at any position. */
function switchesIn(argv: readonly string[], flags: readonly Option[]): GlobalOptions {
  const isGiven = ({ short, long }: Option) => argv.some(word => word === short || word === long)
  return Object.fromEntries(
    flags
      .filter(flag => flag.isBoolean() || flag.negate)
      .map(flag => [flag.attributeName(), isGiven(flag) !== flag.negate]),
  )
}

/** An error of usage, with the usage line where something is missing; loaded when there is one. */
async function withUsage(thrown: unknown, program: AnyCommand, argv: readonly string[]): Promise<unknown> {
  const refused = thrown instanceof CommanderError && thrown.exitCode !== 0
  if (!refused && !(thrown instanceof CallyardError && thrown.details.missing !== undefined)) return thrown
  const { usageError } = await import('./help/usage-error.ts')
  return usageError(thrown, program, argv)
}

/** Commands for programs to try next; people read them in the hint. */
async function suggestions(error: unknown, program: AnyCommand, argv: readonly string[], { json }: Output) {
  if (!json || !(error instanceof CallyardError)) return []
  const { nextCommands } = (await import('./help/next-commands.ts').catch(() => undefined)) ?? {}
  return nextCommands?.(error, program, argv) ?? []
}

/** The error to show, or undefined where the command ended well after all: help was asked for, the reader went away. */
function explain(thrown: unknown, { signal }: Host): unknown {
  if (thrown instanceof CommanderError) return undefined
  if (thrown instanceof CallyardError && thrown.kind !== 'cancelled') return thrown
  if (!signal.aborted) return thrown
  if (signal.reason === 'EPIPE') return undefined
  return thrown instanceof CallyardError ? thrown : cancelled()
}
