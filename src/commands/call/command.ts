import { Command, Option } from 'commander'
import { directions } from '../../interface/words.ts'
import { withLlmOptions } from '../llm-options.ts'
import { collectMetadata, collectVariable, parseTargetName } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'
import { chatCommands } from './chat/commands.ts'
import { followHelp, withFollowOptions } from './follow-options.ts'

export function callCommand(run: Runner): Command {
  const call = new Command('call').description('place phone calls')

  withWhoTalks(
    call
      .command('start')
      .description('call a user from an assistant number')
      .option('--from <number>', 'number of the assistant, as +12025550100')
      .option('--to <number>', 'number of the user, as +12025550123'),
  )
    .addHelpText(
      'after',
      `
${followHelp}

Examples:
  $ callwright call start --from +12025550100 --to +12025550123 \\
      --assistant-id 6650f0c2
  $ callwright call start --from +12025550100 --to +12025550123 \\
      --assistant assistants/desk.yaml --var name=Ada
  $ callwright call start --from +12025550100 --to +12025550123 \\
      --assistant assistants/desk.yaml --follow
  $ callwright call start --from +12025550100 --to +12025550123 --dry-run`,
    )
    .action((options, command) =>
      run(command, async context => (await import('./start.ts')).startCall(options, context), {
        endsItself: options.follow === true,
      }),
    )

  withWhoTalks(
    call
      .command('connect')
      .description('place a call by phone number id and customer')
      .option('--phone-number-id <id>', 'id of the phone number used for the call')
      .option('--to <number>', 'number of the customer, as +12025550123')
      .option('--customer-name <name>', 'name of the customer')
      .addOption(
        new Option('--direction <direction>', 'who starts the call').choices(directions).default('outbound'),
      ),
  )
    .addHelpText(
      'after',
      `
${followHelp}

Examples:
  $ callwright call connect --phone-number-id pn_1 --to +12025550123 \\
      --customer-name Ada
  $ callwright call connect --phone-number-id pn_1 --to +12025550123 \\
      --metadata order=7 --json | jq -r .id`,
    )
    .action((options, command) =>
      run(command, async context => (await import('./connect.ts')).connectCall(options, context), {
        endsItself: options.follow === true,
      }),
    )

  withLlmOptions(
    call
      .command('chat [assistant]')
      .description('be the caller yourself, in text: hold a call on a sandbox of its own')
      .option(
        '--assistant-id <id>',
        'an assistant of the records that sandbox start keeps, with its tools and FAQ',
      )
      .option('--var <name=value>', 'dynamic variable, replaces {{name}} (repeatable)', collectVariable)
      .option('--overrides <file>', 'YAML or JSON file with assistant overrides')
      .option('--caller <file>', 'lines that the caller says first, one per line')
      .option('--save <file>', 'write the transcript to a new file: .json, .ndjson, or else text')
      .option('--data <file>', 'records of a sandbox to take FAQ, tools and assistants from; read only')
      .option('--webhooks', 'send the webhooks that the assistant’s assistantServer asks for')
      .option('--allow-unknown', 'send fields that the interface does not know as they are'),
  )
    .addHelpText(
      'after',
      `
No account, no phone: the call is held on a sandbox inside this command.
Replies come from the model of the assistant (custom-llm) or of --llm-url, else
from the FAQ. In a project, tools and FAQ are those of its files as they are
now; what sandbox start keeps is read with --assistant-id or --data. While you
type, the assistant can be interrupted.

Commands while you chat:
${Object.entries(chatCommands)
  .map(([command, does]) => `  ${command.padEnd(18)}${does}`)
  .join('\n')}

Without a terminal the caller's lines come from --caller, or else from stdin,
each said when the assistant has finished; after the last one the caller hangs
up. The transcript is data on stdout, with --json one event per line, of the
kind status, message, tool-started, tool-ended, failure, warning,
delivery-failed or variables. --save keeps what is said and done: text as
"role: text", .json a list of the events, .ndjson one per line.

Examples:
  $ callwright call chat assistants/front-desk.yaml --var name=Ada
  $ callwright call chat assistants/front-desk.yaml \\
      --llm-url http://127.0.0.1:11434/v1 --llm-model small
  $ printf 'When are you open?\\nGoodbye\\n' \\
      | callwright call chat assistants/front-desk.yaml --json
  $ callwright call chat desk.yaml --caller tests/booking.txt \\
      --save booking.ndjson > booking.log`,
    )
    .action((assistant, options, command) =>
      run(command, async context => (await import('./chat/chat.ts')).chat(assistant, options, context), {
        endsItself: true,
      }),
    )

  return call
}

/** The options that both ways of placing a call share. */
function withWhoTalks(command: Command): Command {
  command
    .option('--assistant <file>', 'inline assistant: YAML or JSON file; wins over --assistant-id')
    .option(
      '--assistant-id <id>',
      'an existing assistant; without either, the default assistant of the number',
    )
    .option('--var <name=value>', 'dynamic variable, replaces {{name}} (repeatable)', collectVariable)
    .option('--metadata <key=value>', 'your own data; JSON is sent as JSON (repeatable)', collectMetadata)
    .option('--overrides <file>', 'YAML or JSON file with assistant overrides')
    .option('--target <name>', 'section of the lockfile (default: the name of the profile)', parseTargetName)
    .option('--allow-any-number', 'do not check numbers as E.164')
    .option('--allow-unknown', 'send fields that the interface does not know as they are')
    .option('--dry-run', 'print the request and send nothing')
  return withFollowOptions(command)
}
