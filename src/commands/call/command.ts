import { type Command, Option } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { withLlmOptions } from '../../cli/flags/llm-options.ts'
import {
  collectMetadata,
  collectVariable,
  parseSeed,
  parseTargetName,
} from '../../cli/flags/option-parsers.ts'
import { outsideOption } from '../../cli/flags/outside-option.ts'
import type { Runner } from '../../cli/runner.ts'
import { directions } from '../../interface/words.ts'
import { withFollowOptions } from './follow-options.ts'

export function callCommand(run: Runner): Command {
  const call = new CliCommand('call')
    .description('Place phone calls, or hold one in text')
    .examples(
      'callwright call start --from +12025550100 --to +12025550123',
      'callwright call chat assistants/front-desk.yaml',
    )

  withWhoTalks(
    call
      .command('start')
      .description('Call a user from an assistant number')
      .option('--from <number>', 'Number of the assistant, as +12025550100')
      .option('--to <number>', 'Number of the user, as +12025550123'),
  )
    .examples(
      'callwright call start --from +12025550100 --to +12025550123 --assistant front-desk',
      'callwright call start --from +12025550100 --to +12025550123 --assistant assistants/front-desk.yaml --follow',
    )
    .learnMore('follow', 'tunnels')
    .action((options, command) =>
      run(command, async context => (await import('./start.ts')).startCall(options, context), {
        endsItself: options.follow === true,
      }),
    )

  withWhoTalks(
    call
      .command('connect')
      .description('Call a customer by phone number id')
      .option('--phone-number-id <id>', 'Id of the phone number that calls')
      .option('--to <number>', 'Number of the customer, as +12025550123')
      .option('--customer-name <name>', 'Name of the customer')
      .addOption(
        new Option('--direction <direction>', 'Direction of the call')
          .choices(directions)
          .default('outbound'),
      ),
  )
    .examples(
      'callwright call connect --phone-number-id pn_1 --to +12025550123 --customer-name Ada',
      'callwright call connect --phone-number-id pn_1 --to +12025550123 --metadata order=7 --json | jq -r .id',
    )
    .learnMore('follow', 'tunnels')
    .action((options, command) =>
      run(command, async context => (await import('./connect.ts')).connectCall(options, context), {
        endsItself: options.follow === true,
      }),
    )

  withLlmOptions(
    call
      .command('chat')
      .argument('[assistant]', 'File of the assistant, its name in the project, or its id')
      .description('Hold a call in text, as the caller')
      .option('--assistant-id <id>', 'Assistant of the records of sandbox start')
      .option('--var <name=value>', 'Value for {{name}} in the texts (repeatable)', collectVariable)
      .option('--overrides <file>', 'YAML or JSON file of assistant overrides')
      .option('--caller <file>', 'Lines that the caller says first, one per line')
      .option('--save <file>', 'Save the transcript to a new file: .json, .ndjson or text')
      .option('--data <file>', 'Take FAQ, tools and assistants from these records')
      .option('--webhooks', 'Send the webhooks that the assistant asks for')
      .option('--seed <n>', 'Fix the ids of the call', parseSeed)
      .option('--allow-unknown', 'Send fields that the interface does not know')
      .addOption(outsideOption()),
  )
    .examples(
      'callwright call chat assistants/front-desk.yaml --var name=Ada',
      'callwright call chat assistants/front-desk.yaml --llm-url http://127.0.0.1:11434/v1 --llm-model small',
    )
    .learnMore('chat', 'sandbox')
    .action((assistant, options, command) =>
      run(command, async context => (await import('./chat/chat.ts')).chat(assistant, options, context), {
        endsItself: true,
      }),
    )

  return call
}

/** The options that both ways of placing a call share. */
function withWhoTalks<C extends Command>(command: C): C {
  command
    .option('--assistant <file|name>', 'A file, sent inline; or a deployed assistant’s name or id')
    .option('--assistant-id <id>', 'A deployed assistant (default: that of the number)')
    .option('--var <name=value>', 'Value for {{name}} in the texts (repeatable)', collectVariable)
    .option('--metadata <key=value>', 'Your own data, JSON or text (repeatable)', collectMetadata)
    .option('--overrides <file>', 'YAML or JSON file of assistant overrides')
    .option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
    .option('--allow-any-number', 'Do not check that numbers are E.164')
    .option('--allow-unknown', 'Send fields that the interface does not know')
    .addOption(outsideOption())
    .option('--yes', 'Do not ask before a phone rings')
    .option('--dry-run', 'Print the request and send nothing')
    .option('--show-secrets', 'Print values from the environment with --dry-run')
  return withFollowOptions(command)
}
