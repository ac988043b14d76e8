import type { Command, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { CliCommand } from '../cli/cli-command.ts'
import type { Host } from '../cli/context.ts'
import { parseDuration } from '../cli/flags/option-parsers.ts'
import { SecretOption } from '../cli/flags/secret-option.ts'
import type { Runner } from '../cli/runner.ts'
import { CallwrightError } from '../lib/error.ts'
import { apiCommand } from './api/command.ts'
import { applyCommand } from './apply/command.ts'
import { assistantCommand } from './assistant/command.ts'
import { callCommand } from './call/command.ts'
import { completionCommand } from './completion/command.ts'
import { completeCommand } from './completion/complete-command.ts'
import { demoCommand } from './demo/command.ts'
import { faqCommand } from './faq/command.ts'
import { helpCommand } from './help/command.ts'
import { pageLayout } from './help/page.ts'
import { initCommand } from './init/command.ts'
import { planCommand } from './plan/command.ts'
import { profileCommand } from './profile/command.ts'
import { sandboxCommand } from './sandbox/command.ts'
import { schemaCommand } from './schema/command.ts'
import { toolCommand } from './tool/command.ts'
import { validateCommand } from './validate/command.ts'
import { webhookCommand } from './webhook/command.ts'

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
      throw new CallwrightError(
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
