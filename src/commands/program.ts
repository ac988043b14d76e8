import type { Option } from '@commander-js/extra-typings'
import manifest from '../../package.json' with { type: 'json' }
import {
  CliCommand,
  type CommandDefinition,
  defineCommand,
  defineGroup,
  type Runner,
} from '../cli/cli-command.ts'
import type { Host } from '../cli/context.ts'
import { type AnyCommand, Flag, withGlobalFlags } from '../cli/flags/flag.ts'
import { CallwrightError } from '../lib/error.ts'
import { apiCommand } from './api.ts'
import { applyCommand } from './apply.ts'
import { assistantCreateCommand } from './assistant/create.ts'
import { callChatCommand } from './call/chat.ts'
import { callConnectCommand } from './call/connect.ts'
import { callStartCommand } from './call/start.ts'
import { completeCommand, completionCommand } from './completion/completion.ts'
import { demoCommand } from './demo.ts'
import { faqPushCommand } from './faq/push.ts'
import { helpCommand } from './help/help.ts'
import { pageLayout } from './help/page.ts'
import { initCommand } from './init.ts'
import { planCommand } from './plan.ts'
import { profileAddCommand } from './profile/add.ts'
import { profileListCommand } from './profile/list.ts'
import { profileRemoveCommand } from './profile/remove.ts'
import { profileShowCommand } from './profile/show.ts'
import { profileUseCommand } from './profile/use.ts'
import { sandboxStartCommand } from './sandbox/start.ts'
import { schemaCommand } from './schema.ts'
import { toolCreateCommand } from './tool/create.ts'
import { toolUpdateCommand } from './tool/update.ts'
import { validateCommand } from './validate.ts'
import { webhookReplayCommand } from './webhook/replay.ts'
import { webhookShowCommand } from './webhook/show.ts'
import { webhookTailCommand } from './webhook/tail.ts'
import { webhookTriggerCommand } from './webhook/trigger.ts'

const assistant = defineGroup(
  'assistant',
  {
    description: 'Create assistants',
    examples: ['callwright assistant create assistants/front-desk.yaml', 'callwright assistant create'],
  },
  [assistantCreateCommand],
)

const tool = defineGroup(
  'tool',
  {
    description: 'Create and update the function tools that assistants call',
    examples: ['callwright tool create tools/book.yaml', 'callwright tool update 6650f0c2 changes.yaml'],
  },
  [toolCreateCommand, toolUpdateCommand],
)

const faq = defineGroup(
  'faq',
  {
    description: 'Send the FAQ entries of a file to a knowledge base',
    examples: [
      'callwright faq push knowledge-bases/workshop.yaml',
      'callwright faq push questions.csv --kb 6650f0c2 --dry-run',
    ],
  },
  [faqPushCommand],
)

const call = defineGroup(
  'call',
  {
    description: 'Place phone calls, or hold one in text',
    examples: [
      'callwright call start --from +12025550100 --to +12025550123',
      'callwright call chat assistants/front-desk.yaml',
    ],
  },
  [callStartCommand, callConnectCommand, callChatCommand],
)

const webhook = defineGroup(
  'webhook',
  {
    description: 'Receive, keep and send again what the service sends',
    examples: [
      'callwright webhook tail',
      'callwright webhook replay calls.ndjson --to http://127.0.0.1:3000/hook',
    ],
  },
  [webhookTailCommand, webhookReplayCommand, webhookTriggerCommand, webhookShowCommand],
)

const sandbox = defineGroup(
  'sandbox',
  {
    description: 'Run the whole service on this machine',
    examples: ['callwright sandbox start', 'callwright sandbox start --memory --pace 0 --port 0'],
  },
  [sandboxStartCommand],
)

const profile = defineGroup(
  'profile',
  {
    description: 'Save base URLs and API keys under names',
    examples: ['callwright profile add work', 'callwright profile use work'],
  },
  [profileAddCommand, profileListCommand, profileShowCommand, profileUseCommand, profileRemoveCommand],
)

const versionCommand = defineCommand('version', {
  description: 'Print the version',
  flags: command => command,
  run: async (_options, { output }) => output.result({ version: manifest.version }, () => manifest.version),
})

/** The commands by the headings of the root's help. */
const groups: readonly (readonly [heading: string, readonly CommandDefinition[]])[] = [
  ['START', [demoCommand]],
  ['BUILD', [initCommand, planCommand, applyCommand, assistant, tool, faq, validateCommand, schemaCommand]],
  ['CALL', [call, webhook, sandbox]],
  ['SET UP', [profile, apiCommand, completionCommand, helpCommand]],
]

/** The command tree: names, flags, help and examples. The work of a command is loaded when it runs. */
export function buildProgram(run: Runner, host: Pick<Host, 'stdout' | 'stderr'>): AnyCommand {
  const program = new CliCommand('callwright', {
    description: 'Build, call and watch voice assistants from your terminal',
    examples: ['callwright demo', 'callwright init desk'],
  })
  withGlobalFlags(program.version(manifest.version, '-V, --version', 'Print the version'))
  program.helpCommand(false)
  for (const define of [versionCommand, completeCommand]) program.addCommand(define(run), { hidden: true })
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading)
    for (const define of commands) program.addCommand(define(run))
  }
  prepare(program, host)
  return program
}

/** Settings that a command added with addCommand does not inherit: errors are thrown, help goes to the host's streams. */
function prepare(command: AnyCommand, host: Pick<Host, 'stdout' | 'stderr'>): void {
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

function takesOneValue(option: Option): boolean {
  const { required, optional, variadic } = option
  return (required || optional) && !variadic && !(option instanceof Flag && option.isRepeatable)
}

/** Commander takes the last of two values: `--to` of a script, and the one that was added to try it out. */
function refuseRepeats(command: AnyCommand, option: Option): void {
  let first: string | undefined
  command.on(`option:${option.name()}`, (value: string | null) => {
    if (first !== undefined) {
      throw new CallwrightError(
        'usage',
        option instanceof Flag && option.isSecret
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
