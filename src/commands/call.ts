import { type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { defineCommand, defineGroup } from '../cli/cli-command.ts'
import { Flag, type NoOptions, type OptionsOf, withFileFlags, withTargetFlag } from '../cli/flags/flag.ts'
import { withLlmFlags } from '../cli/flags/llm-flags.ts'
import { collectMetadata, collectVariable, parsePort, parseSeed } from '../cli/flags/option-parsers.ts'
import { directions } from '../interface/words.ts'
import { withExposureFlags, withFormatFlags } from './webhook/flags.ts'

export const callCommand = defineGroup({
  description: 'Place phone calls, or hold one in text',
  examples: [
    'callwright call start --from +12025550100 --to +12025550123',
    'callwright call chat assistants/front-desk.yaml',
  ],
  verbs: {
    start: defineCommand({
      description: 'Call a user from an assistant number',
      examples: [
        'callwright call start --from +12025550100 --to +12025550123 --assistant front-desk',
        'callwright call start --from +12025550100 --to +12025550123 --assistant assistants/front-desk.yaml --follow',
      ],
      topics: ['follow', 'tunnels'],
      flags: withStartFlags,
      run: async (options, context) => (await import('./call/forms.ts')).startCall(options, context),
      endsItself: ({ follow }) => follow === true,
    }),
    connect: defineCommand({
      description: 'Call a customer by phone number id',
      examples: [
        'callwright call connect --phone-number-id pn_1 --to +12025550123 --customer-name Ada',
        'callwright call connect --phone-number-id pn_1 --to +12025550123 --metadata order=7 --json | jq -r .id',
      ],
      topics: ['follow', 'tunnels'],
      flags: withConnectFlags,
      run: async (options, context) => (await import('./call/forms.ts')).connectCall(options, context),
      endsItself: ({ follow }) => follow === true,
    }),
    chat: defineCommand({
      description: 'Hold a call in text, as the caller',
      examples: [
        'callwright call chat assistants/front-desk.yaml --var name=Ada',
        'callwright call chat assistants/front-desk.yaml --llm-url http://127.0.0.1:11434/v1 --llm-model small',
      ],
      topics: ['chat', 'sandbox'],
      flags: withChatFlags,
      run: async (options, context, [assistant]) =>
        (await import('./call/chat/open-chat.ts')).chat(assistant, options, context),
      endsItself: () => true,
    }),
  },
})

function withStartFlags(command: Command) {
  return withPlaceCallFlags(
    command
      .option('--from <number>', 'Number of the assistant, as +12025550100')
      .option('--to <number>', 'Number of the user, as +12025550123'),
  )
}

export type StartCallOptions = OptionsOf<typeof withStartFlags>

function withConnectFlags(command: Command) {
  return withPlaceCallFlags(
    command
      .option('--phone-number-id <id>', 'Id of the phone number that calls')
      .option('--to <number>', 'Number of the customer, as +12025550123')
      .option('--customer-name <name>', 'Name of the customer')
      .addOption(
        new Option('--direction <direction>', 'Direction of the call')
          .choices(directions)
          .default('outbound'),
      ),
  )
}

export type ConnectCallOptions = OptionsOf<typeof withConnectFlags>

/** What both ways of placing a call share. */
export function withPlaceCallFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  const assistant = command
    .option('--assistant <file|name>', 'A file, sent inline; or a deployed assistant’s name or id')
    .option('--assistant-id <id>', 'A deployed assistant (default: that of the number)')
    .addOption(new Flag('--var <name=value>', 'Value for {{name}} in the texts').repeatable(collectVariable))
    .addOption(new Flag('--metadata <key=value>', 'Your own data, JSON or text').repeatable(collectMetadata))
    .option('--overrides <file>', 'YAML or JSON file of assistant overrides')
  const placing = withFileFlags(
    withTargetFlag(assistant).option('--allow-any-number', 'Do not check that numbers are E.164'),
  )
    .option('--yes', 'Do not ask before a phone rings')
    .option('--dry-run', 'Print the request and send nothing')
    .option('--show-secrets', 'Print values from the environment with --dry-run')
  return withFollowFlags(placing)
}

export type PlaceCallOptions = OptionsOf<typeof withPlaceCallFlags<[], NoOptions>>

/** Shows a call while it lasts. */
function withFollowFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withFormatFlags(
    withExposureFlags(
      command
        .optionsGroup('FOLLOW THE CALL')
        .option('--follow', 'Show what is said until the call ends')
        .option('--port <number>', 'Port to listen on (default: a free one)', parsePort),
    ),
  )
}

export type FollowOptions = OptionsOf<typeof withFollowFlags<[], NoOptions>>

function withChatFlags(command: Command) {
  return withLlmFlags(
    withFileFlags(
      command
        .argument('[assistant]', 'File of the assistant, its name in the project, or its id')
        .option('--assistant-id <id>', 'Assistant of the records of sandbox start')
        .addOption(
          new Flag('--var <name=value>', 'Value for {{name}} in the texts').repeatable(collectVariable),
        )
        .option('--overrides <file>', 'YAML or JSON file of assistant overrides')
        .option('--caller <file>', 'Lines that the caller says first, one per line')
        .option('--save <file>', 'Save the transcript to a new file: .json, .ndjson or text')
        .option('--data <file>', 'Take FAQ, tools and assistants from these records')
        .option('--webhooks', 'Send the webhooks that the assistant asks for')
        .option('--seed <n>', 'Fix the ids of the call', parseSeed),
    ),
  )
}

export type ChatOptions = OptionsOf<typeof withChatFlags>
