import type { Option } from '@commander-js/extra-typings'
import manifest from '../../package.json' with { type: 'json' }
import {
  CliCommand,
  type CommandDefinition,
  declared,
  defineCommand,
  type HelpTexts,
  type Runner,
} from '../cli/cli-command.ts'
import type { Host } from '../cli/context.ts'
import { type AnyCommand, Flag, withGlobalFlags } from '../cli/flags/flag.ts'
import { CallwrightError } from '../lib/error.ts'
import { pageLayout } from './help/page.ts'

/** A command, loaded when it runs or its help is shown. */
type Load = () => Promise<CommandDefinition>

/** A noun: a command that only groups others, in the order of its help. */
interface Group extends HelpTexts {
  readonly verbs: Readonly<Record<string, Load>>
}

/** A command that does something itself, and has others below it. */
interface CommandWithVerbs {
  readonly itself: Load
  readonly verbs: Readonly<Record<string, Load>>
}

type Branch = Load | Group | CommandWithVerbs

/** The commands by the headings of the root's help. */
const tree: Readonly<Record<string, Readonly<Record<string, Branch>>>> = {
  START: { demo: async () => (await import('./demo.ts')).demoCommand },
  BUILD: {
    init: async () => (await import('./init.ts')).initCommand,
    plan: async () => (await import('./plan.ts')).planCommand,
    apply: async () => (await import('./apply.ts')).applyCommand,
    assistant: {
      description: 'Create assistants',
      examples: ['callwright assistant create assistants/front-desk.yaml', 'callwright assistant create'],
      verbs: { create: async () => (await import('./assistant/create.ts')).assistantCreateCommand },
    },
    tool: {
      description: 'Create, update and try the tools that assistants call',
      examples: [
        'callwright tool create tools/book.yaml',
        'callwright tool try book --args \'{"day": "2026-01-02"}\'',
      ],
      verbs: {
        create: async () => (await import('./tool/create.ts')).toolCreateCommand,
        update: async () => (await import('./tool/update.ts')).toolUpdateCommand,
        try: async () => (await import('./tool/try.ts')).toolTryCommand,
      },
    },
    faq: {
      description: 'Send FAQ entries to a knowledge base, and ask them',
      examples: [
        'callwright faq push knowledge-bases/workshop.yaml',
        'callwright faq ask "When are you open?"',
      ],
      verbs: {
        push: async () => (await import('./faq/push.ts')).faqPushCommand,
        ask: async () => (await import('./faq/ask.ts')).faqAskCommand,
      },
    },
    validate: async () => (await import('./validate.ts')).validateCommand,
    test: {
      itself: async () => (await import('./test.ts')).testCommand,
      verbs: {
        record: async () => (await import('./test/record.ts')).testRecordCommand,
        gaps: async () => (await import('./test/gaps.ts')).testGapsCommand,
      },
    },
    schema: async () => (await import('./schema.ts')).schemaCommand,
  },
  CALL: {
    call: {
      description: 'Place phone calls, or hold one in text',
      examples: [
        'callwright call start --from +12025550100 --to +12025550123',
        'callwright call chat assistants/front-desk.yaml',
      ],
      verbs: {
        start: async () => (await import('./call/start.ts')).callStartCommand,
        connect: async () => (await import('./call/connect.ts')).callConnectCommand,
        chat: async () => (await import('./call/chat.ts')).callChatCommand,
      },
    },
    webhook: {
      description: 'Receive, keep and send again what the service sends',
      examples: [
        'callwright webhook tail',
        'callwright webhook replay calls.ndjson --to http://127.0.0.1:3000/hook',
      ],
      verbs: {
        tail: async () => (await import('./webhook/tail.ts')).webhookTailCommand,
        replay: async () => (await import('./webhook/replay.ts')).webhookReplayCommand,
        trigger: async () => (await import('./webhook/trigger.ts')).webhookTriggerCommand,
        show: async () => (await import('./webhook/show.ts')).webhookShowCommand,
      },
    },
    sandbox: {
      description: 'Run the whole service on this machine',
      examples: ['callwright sandbox start', 'callwright sandbox exec --project . --pace 0 -- npm test'],
      verbs: {
        start: async () => (await import('./sandbox/start.ts')).sandboxStartCommand,
        exec: async () => (await import('./sandbox/exec.ts')).sandboxExecCommand,
        export: async () => (await import('./sandbox/export.ts')).sandboxExportCommand,
        import: async () => (await import('./sandbox/import.ts')).sandboxImportCommand,
      },
    },
  },
  'SET UP': {
    profile: {
      description: 'Save base URLs and API keys under names',
      examples: ['callwright profile add work', 'callwright profile use work'],
      verbs: {
        add: async () => (await import('./profile/add.ts')).profileAddCommand,
        list: async () => (await import('./profile/list.ts')).profileListCommand,
        show: async () => (await import('./profile/show.ts')).profileShowCommand,
        use: async () => (await import('./profile/use.ts')).profileUseCommand,
        remove: async () => (await import('./profile/remove.ts')).profileRemoveCommand,
      },
    },
    api: async () => (await import('./api.ts')).apiCommand,
    completion: async () => (await import('./completion/completion.ts')).completionCommand,
    help: async () => (await import('./help/help.ts')).helpCommand,
  },
}

/** Left out of help and completions. */
const hidden: Readonly<Record<string, Load>> = {
  version: async () =>
    defineCommand({
      description: 'Print the version',
      flags: command => command,
      run: async (_options, { output }) =>
        output.result({ version: manifest.version }, () => manifest.version),
    }),
  __complete: async () => (await import('./completion/completion.ts')).completeCommand,
}

/**
 * The command tree: at first the names of the commands below the root. What stands below them, flags, help and work are declared
 * when commander comes to them, or with `declared`.
 */
export function buildProgram(run: Runner, host: Pick<Host, 'stdout' | 'stderr'>): AnyCommand {
  const program = new CliCommand('callwright').describe({
    description: 'Build, call and watch voice assistants from your terminal',
    examples: ['callwright demo'],
  })
  withGlobalFlags(program.version(manifest.version, '-V, --version', 'Print the version'))
  settle(program, host)
  addCommands(program, hidden, run, { hidden: true })
  for (const [heading, commands] of Object.entries(tree)) {
    program.commandsGroup(heading)
    addCommands(program, commands, run)
  }
  refuseRepeats(program)
  return program
}

/** What every command inherits: errors are thrown, help goes to the host's streams. */
function settle(program: CliCommand, host: Pick<Host, 'stdout' | 'stderr'>): void {
  program
    .hook('preSubcommand', declareNext)
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
}

function addCommands(
  parent: CliCommand,
  commands: Readonly<Record<string, Branch>>,
  run: Runner,
  options?: { readonly hidden: boolean },
): void {
  for (const [name, branch] of Object.entries(commands)) {
    const itself = typeof branch === 'function' ? branch : 'itself' in branch ? branch.itself : undefined
    const command = new CliCommand(name, async each => {
      if (itself !== undefined) {
        const define = await itself()
        define(each, run)
        refuseRepeats(each)
      }
      if ('verbs' in branch) addCommands(each, branch.verbs, run)
    })
    if ('description' in branch) command.describe(branch)
    parent.addCommand(command.copyInheritedSettings(parent).hook('preSubcommand', declareNext), options)
  }
}

function declareNext(_: AnyCommand, next: AnyCommand): Promise<void> {
  return declared(next)
}

function takesOneValue(option: Option): boolean {
  const { required, optional, variadic } = option
  return (required || optional) && !variadic && !(option instanceof Flag && option.isRepeatable)
}

/** Commander takes the last of two values: `--to` of a script, and the one that was added to try it out. */
function refuseRepeats(command: CliCommand): void {
  for (const option of command.options.filter(takesOneValue)) refuseRepeat(command, option)
}

function refuseRepeat(command: CliCommand, option: Option): void {
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
