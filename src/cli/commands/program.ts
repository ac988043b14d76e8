import manifest from '../../../package.json' with { type: 'json' }
import {
  addCommands,
  CliCommand,
  type Commands,
  defineCommand,
  defineGroup,
  pathsOf,
  type Runner,
  refuseRepeats,
  withVerbs,
} from '../shell/cli-command.ts'
import type { Host, Sink } from '../shell/context.ts'
import { type AnyCommand, withGlobalFlags } from '../shell/flags/flag.ts'
import { helpCommand, pageLayout, quietHeading } from './help/help.ts'

/** The commands by the headings of the root's help. What a command is, is loaded when it runs or its help is shown. */
const tree: Readonly<Record<string, Commands>> = {
  START: { demo: async (...to) => (await import('./demo.ts')).demoCommand(...to) },
  BUILD: {
    init: async (...to) => (await import('./init.ts')).initCommand(...to),
    plan: async (...to) => (await import('./plan.ts')).planCommand(...to),
    apply: async (...to) => (await import('./apply.ts')).applyCommand(...to),
    assistant: defineGroup({
      description: 'Create assistants',
      examples: ['callyard assistant create assistants/front-desk.yaml', 'callyard assistant create'],
      verbs: {
        create: async (...to) => (await import('./assistant/create.ts')).assistantCreateCommand(...to),
      },
    }),
    tool: defineGroup({
      description: 'Create, update and try the tools that assistants call',
      examples: [
        'callyard tool create tools/book.yaml',
        'callyard tool try book --args \'{"day": "2026-01-02"}\'',
      ],
      verbs: {
        create: async (...to) => (await import('./tool/create.ts')).toolCreateCommand(...to),
        update: async (...to) => (await import('./tool/update.ts')).toolUpdateCommand(...to),
        try: async (...to) => (await import('./tool/try.ts')).toolTryCommand(...to),
      },
    }),
    faq: defineGroup({
      description: 'Send, search and import the FAQ of a knowledge base',
      examples: ['callyard faq push knowledge-bases/workshop.yaml', 'callyard faq ask "When are you open?"'],
      verbs: {
        push: async (...to) => (await import('./faq/push.ts')).faqPushCommand(...to),
        ask: async (...to) => (await import('./faq/ask.ts')).faqAskCommand(...to),
        import: async (...to) => (await import('./faq/import.ts')).faqImportCommand(...to),
      },
    }),
    validate: async (...to) => (await import('./validate.ts')).validateCommand(...to),
    test: withVerbs(async (...to) => (await import('./test.ts')).testCommand(...to), {
      record: async (...to) => (await import('./scenario/record.ts')).testRecordCommand(...to),
      gaps: async (...to) => (await import('./scenario/gaps.ts')).testGapsCommand(...to),
    }),
  },
  CALL: {
    call: defineGroup({
      description: 'Place phone calls, list them, or chat as the caller',
      examples: [
        'callyard call start --from +12025550100 --to +12025550123',
        'callyard call chat assistants/front-desk.yaml',
      ],
      verbs: {
        start: async (...to) => (await import('./call/start.ts')).callStartCommand(...to),
        connect: async (...to) => (await import('./call/connect.ts')).callConnectCommand(...to),
        chat: async (...to) => (await import('./call/chat.ts')).callChatCommand(...to),
        list: async (...to) => (await import('./call/list.ts')).callListCommand(...to),
        show: async (...to) => (await import('./call/show.ts')).callShowCommand(...to),
        say: async (...to) => (await import('./call/say.ts')).callSayCommand(...to),
        hangup: async (...to) => (await import('./call/hangup.ts')).callHangupCommand(...to),
        log: defineGroup({
          description: 'Manage the log of calls placed from this machine',
          examples: ['callyard call log prune --older-than 30d'],
          verbs: {
            prune: async (...to) => (await import('./call/log/prune.ts')).callLogPruneCommand(...to),
          },
        }),
      },
    }),
    batch: defineGroup({
      description: 'Call a list of people',
      examples: ['callyard batch plan reminders', 'callyard batch run reminders'],
      verbs: {
        plan: async (...to) => (await import('./batch/plan.ts')).batchPlanCommand(...to),
        run: async (...to) => (await import('./batch/run.ts')).batchRunCommand(...to),
        resume: async (...to) => (await import('./batch/resume.ts')).batchResumeCommand(...to),
        pause: async (...to) => (await import('./batch/pause.ts')).batchPauseCommand(...to),
        status: async (...to) => (await import('./batch/status.ts')).batchStatusCommand(...to),
        add: async (...to) => (await import('./batch/add.ts')).batchAddCommand(...to),
        remove: async (...to) => (await import('./batch/remove.ts')).batchRemoveCommand(...to),
        retry: async (...to) => (await import('./batch/retry.ts')).batchRetryCommand(...to),
        cancel: async (...to) => (await import('./batch/cancel.ts')).batchCancelCommand(...to),
        export: async (...to) => (await import('./batch/export.ts')).batchExportCommand(...to),
      },
    }),
    webhook: defineGroup({
      description: 'Receive, record and replay webhook events',
      examples: [
        'callyard webhook tail',
        'callyard webhook replay calls.ndjson --to http://127.0.0.1:3000/hook',
      ],
      verbs: {
        tail: async (...to) => (await import('./webhook/tail.ts')).webhookTailCommand(...to),
        replay: async (...to) => (await import('./webhook/replay.ts')).webhookReplayCommand(...to),
        trigger: async (...to) => (await import('./webhook/trigger.ts')).webhookTriggerCommand(...to),
        show: async (...to) => (await import('./webhook/show.ts')).webhookShowCommand(...to),
        relay: withVerbs(async (...to) => (await import('./webhook/relay.ts')).webhookRelayCommand(...to), {
          positions: defineGroup({
            description: 'List or remove the positions of names that read a relay',
            summary: 'Manage the positions of names that read its events',
            examples: ['callyard webhook relay positions list --nats nats://127.0.0.1:4222'],
            verbs: {
              list: async (...to) =>
                (await import('./webhook/relay/list.ts')).relayPositionsListCommand(...to),
              remove: async (...to) =>
                (await import('./webhook/relay/remove.ts')).relayPositionsRemoveCommand(...to),
            },
          }),
        }),
      },
    }),
    report: async (...to) => (await import('./report.ts')).reportCommand(...to),
    sandbox: defineGroup({
      description: 'Run the whole service on this machine',
      examples: ['callyard sandbox start', 'callyard sandbox exec --project . --pace 0 -- npm test'],
      verbs: {
        start: async (...to) => (await import('./sandbox/start.ts')).sandboxStartCommand(...to),
        exec: async (...to) => (await import('./sandbox/exec.ts')).sandboxExecCommand(...to),
        export: async (...to) => (await import('./sandbox/export.ts')).sandboxExportCommand(...to),
        import: async (...to) => (await import('./sandbox/import.ts')).sandboxImportCommand(...to),
      },
    }),
  },
  'SET UP': {
    profile: defineGroup({
      description: 'Save base URLs and API keys under names',
      examples: ['callyard profile add work', 'callyard profile use work'],
      verbs: {
        add: async (...to) => (await import('./profile/add.ts')).profileAddCommand(...to),
        list: async (...to) => (await import('./profile/list.ts')).profileListCommand(...to),
        show: async (...to) => (await import('./profile/show.ts')).profileShowCommand(...to),
        use: async (...to) => (await import('./profile/use.ts')).profileUseCommand(...to),
        protect: async (...to) => (await import('./profile/protect.ts')).profileProtectCommand(...to),
        unprotect: async (...to) => (await import('./profile/unprotect.ts')).profileUnprotectCommand(...to),
        'set-key': async (...to) => (await import('./profile/set-key.ts')).profileSetKeyCommand(...to),
        remove: async (...to) => (await import('./profile/remove.ts')).profileRemoveCommand(...to),
      },
    }),
    doctor: async (...to) => (await import('./doctor.ts')).doctorCommand(...to),
    help: helpCommand,
  },
  [quietHeading]: {
    schema: async (...to) => (await import('./schema.ts')).schemaCommand(...to),
    api: async (...to) => (await import('./api.ts')).apiCommand(...to),
    completion: async (...to) => (await import('./completion/completion.ts')).completionCommand(...to),
    mcp: async (...to) => (await import('./mcp.ts')).mcpCommand(...to),
    approve: async (...to) => (await import('./approve.ts')).approveCommand(...to),
  },
}

/** Paths of all commands in help, such as `call start`. */
export function commandPaths(): string[] {
  return Object.values(tree).flatMap(pathsOf)
}

/** Left out of help and completions. */
const hidden: Commands = {
  version: defineCommand({
    description: 'Print the version',
    effect: 'none',
    flags: command => command,
    result: ({ z }) => ({ document: z.object({ version: z.string() }) }),
    run: async (_options, { output }) => output.result({ version: manifest.version }, () => manifest.version),
  }),
  __complete: async (...to) => (await import('./completion/completion.ts')).completeCommand(...to),
}

/** Part of a host that parsing needs. */
interface ProgramHost {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly openCode?: Host['openCode']
}

/**
 * Builds the command tree, at first only the names below the root. Subcommands, flags, help and actions are declared when commander
 * reaches them, or by `declared`.
 */
export function buildProgram(run: Runner, host: ProgramHost): AnyCommand {
  const program = new CliCommand('callyard').describe({
    description: 'Build, call and watch voice assistants from your terminal',
    examples: ['callyard demo'],
  })
  withGlobalFlags(program.version(manifest.version, '-V, --version', 'Print the version'))
  settle(program, host)
  program.beforeLoading = host.openCode
  addCommands(program, hidden, run, { hidden: true })
  for (const [heading, commands] of Object.entries(tree)) {
    program.commandsGroup(heading)
    addCommands(program, commands, run)
  }
  refuseRepeats(program)
  return program
}

/** Settings that all commands inherit: errors are thrown, help goes to the host's streams. */
function settle(program: CliCommand, host: ProgramHost): void {
  program
    .exitOverride()
    .showSuggestionAfterError(false)
    .helpOption('-h, --help', 'Show help for a command; with --all, every flag of it')
    .configureHelp(pageLayout)
    .configureOutput({
      writeOut: text => void host.stdout.write(text),
      writeErr: text => void host.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => Math.min(host.stdout.columns ?? 80, 80),
      getErrHelpWidth: () => Math.min(host.stderr.columns ?? 80, 80),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
}
