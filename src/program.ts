import { type Command, CommanderError, type Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { apiCommand } from './commands/api/command.ts'
import { applyCommand } from './commands/apply/command.ts'
import { assistantCommand } from './commands/assistant/command.ts'
import { callCommand } from './commands/call/command.ts'
import { CliCommand } from './commands/cli-command.ts'
import { completionCommand } from './commands/completion/command.ts'
import { completeCommand } from './commands/completion/complete-command.ts'
import { demoCommand } from './commands/demo/command.ts'
import { faqCommand } from './commands/faq/command.ts'
import { helpCommand, helpPage } from './commands/help/command.ts'
import { pageLayout } from './commands/help/page.ts'
import { initCommand } from './commands/init/command.ts'
import { parseDuration } from './commands/option-parsers.ts'
import { planCommand } from './commands/plan/command.ts'
import { profileCommand } from './commands/profile/command.ts'
import type { Runner } from './commands/runner.ts'
import { sandboxCommand } from './commands/sandbox/command.ts'
import { schemaCommand } from './commands/schema/command.ts'
import { SecretOption } from './commands/secret-option.ts'
import { toolCommand } from './commands/tool/command.ts'
import { validateCommand } from './commands/validate/command.ts'
import { webhookCommand } from './commands/webhook/command.ts'
import type { GlobalOptions, Host, Output } from './context.ts'
import { createContext } from './create-context.ts'
import { CliError } from './errors.ts'
import { createOutput, loadColors } from './output/create-output.ts'

/** Parses argv, runs one command, and turns whatever it throws into text and an exit code: the only catch-all. */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  // Until the options are parsed, an error of parsing itself must already honour --json.
  const look = { ...guessOptions(argv), env: host.env }
  const colors = await loadColors([host.stdout, host.stderr], look)
  let output: Output = createOutput(host, look, colors)
  const run: Runner = async (command, work, { endsItself = false } = {}) => {
    const { context, close } = createContext(host, command.optsWithGlobals<GlobalOptions>(), colors)
    output = context.output
    try {
      await (endsItself ? work(context) : orGivenUp(work(context), host))
    } finally {
      await close()
    }
  }
  const program = buildProgram(run, host)
  try {
    if (asksForHelp(argv)) host.stdout.write(await helpPage(program, argv))
    else await program.parseAsync(argv, { from: 'user' })
    return 0
  } catch (thrown) {
    const error = explain(await withUsage(thrown, program, argv), host)
    if (error === undefined) return 0
    output.failure(error)
    return error instanceof CliError ? error.exitCode : 1
  }
}

/** `-h` as the last word is asked in the middle of typing: what stands before it need not be complete. */
function asksForHelp(argv: readonly string[]): boolean {
  const last = argv.at(-1)
  return last === undefined || ((last === '-h' || last === '--help') && !argv.includes('--'))
}

/** The command tree: names, flags, help and examples. The work of a command is loaded when it runs. */
export function buildProgram(run: Runner, host: Pick<Host, 'stdout' | 'stderr'>): Command {
  const program = new CliCommand('callwright')
    .description('Build, call and watch voice assistants from your terminal')
    .version(manifest.version, '-V, --version', 'Print the version')
    .option('--profile <name>', 'Use this profile')
    .option('--base-url <url>', 'Send requests here')
    .option('--json', 'Print JSON on stdout and nothing else')
    .option('--quiet', 'Print no progress and no notes')
    .option('--debug', 'Log requests and answers to stderr, without secrets')
    .option('--no-input', 'Never ask: fail, and name the flag to give instead')
    .option('--no-color', 'Print without colour')
    .option('--timeout <duration>', 'Limit for one request, such as 500ms, 30s or 2m', parseDuration)
    .examples('callwright demo', 'callwright init desk')
  program.helpCommand(false)
  program
    .command('version', { hidden: true })
    .description('Print the version')
    .action((_options, command) =>
      run(command, async ({ output }) =>
        output.result({ version: manifest.version }, () => manifest.version),
      ),
    )
  program.addCommand(completeCommand(run), { hidden: true })
  program.commandsGroup('START').addCommand(demoCommand(run))
  program.commandsGroup('BUILD')
  for (const command of [
    initCommand(run),
    planCommand(run),
    applyCommand(run),
    assistantCommand(run),
    toolCommand(run),
    faqCommand(run),
    validateCommand(run),
    schemaCommand(run),
  ]) {
    program.addCommand(command)
  }
  program.commandsGroup('CALL')
  for (const command of [callCommand(run), webhookCommand(run), sandboxCommand(run)])
    program.addCommand(command)
  program.commandsGroup('SET UP')
  for (const command of [profileCommand(run), apiCommand(run), completionCommand(run), helpCommand(run)]) {
    program.addCommand(command)
  }
  prepare(program, host)
  return program
}

/** Settings that a command added with addCommand does not inherit: errors are thrown, help goes to the host's streams. */
function prepare(command: Command, host: Pick<Host, 'stdout' | 'stderr'>): void {
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .helpOption('-h, --help', 'Show this help')
    .configureHelp(pageLayout)
    .configureOutput({
      writeOut: text => void host.stdout.write(text),
      writeErr: text => void host.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => Math.min(host.stdout.columns ?? 80, 100),
      getErrHelpWidth: () => Math.min(host.stderr.columns ?? 80, 100),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  for (const option of command.options) if (takesOneValue(option)) refuseRepeats(command, option)
  for (const child of command.commands) {
    child.helpCommand(false)
    prepare(child, host)
  }
}

/** The help of a flag that may be given several times ends with `repeatable`. */
function takesOneValue({ required, optional, variadic, description }: Option): boolean {
  return (required || optional) && !variadic && !/\brepeatable\)?$/.test(description)
}

/** Commander takes the last of two values: `--to` of a script, and the one that was added to try it out. */
function refuseRepeats(command: Command, option: Option): void {
  let first: string | undefined
  command.on(`option:${option.name()}`, (value: string | null) => {
    if (first !== undefined) {
      throw new CliError(
        'usage',
        option instanceof SecretOption
          ? `${option.long} is given twice`
          : `${option.long} is given twice: ${[first, value ?? ''].join(' and ').trim()}`,
        {
          hint: 'it takes one value: leave one of them out',
        },
      )
    }
    first = value ?? ''
  })
}

/** Milliseconds that a command has to end by itself after Ctrl-C, so that it can say what may have happened. */
const grace = 2000

/** Gives up a command some time after the signal: what it waits for, a pipe or a disk, may never come. */
async function orGivenUp(work: Promise<void>, { signal, clock }: Host): Promise<void> {
  const ended = new AbortController()
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = () => {
      clock.sleep(grace, ended.signal).then(
        () => reject(new CliError('cancelled', 'cancelled')),
        () => undefined,
      )
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true, signal: ended.signal })
  })
  try {
    await Promise.race([work, givenUp])
  } finally {
    ended.abort()
  }
}

function guessOptions(argv: readonly string[]): GlobalOptions {
  return {
    json: argv.includes('--json'),
    debug: argv.includes('--debug'),
    color: !argv.includes('--no-color'),
  }
}

/** An error of usage, with the usage line where something is missing; loaded when there is one. */
async function withUsage(thrown: unknown, program: Command, argv: readonly string[]): Promise<unknown> {
  const refused = thrown instanceof CommanderError && thrown.exitCode !== 0
  if (!refused && !(thrown instanceof CliError && thrown.details.missing !== undefined)) return thrown
  const { usageError } = await import('./commands/help/usage-error.ts')
  return usageError(thrown, program, argv)
}

/** The error to show, or undefined where the command ended well after all: help was asked for, the reader went away. */
function explain(thrown: unknown, { signal }: Host): unknown {
  if (thrown instanceof CommanderError) return undefined
  if (thrown instanceof CliError && thrown.kind !== 'cancelled') return thrown
  if (!signal.aborted) return thrown
  if (signal.reason === 'EPIPE') return undefined
  return thrown instanceof CliError ? thrown : new CliError('cancelled', 'cancelled')
}
