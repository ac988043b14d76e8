import { Command, Option } from 'commander'
import { parsePace, parsePort } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function sandboxCommand(run: Runner): Command {
  const sandbox = new Command('sandbox').description('run the whole service on this machine')
  sandbox
    .command('start')
    .description('start the service, save it as the profile sandbox, and log what happens')
    .option('--host <address>', 'loopback address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', parsePort, 4010)
    .option('--pace <factor>', 'how many times faster than real time; 0 does not wait at all', parsePace, 1)
    .option('--data <file>', 'where records are kept; without it in the configuration folder')
    .addOption(new Option('--memory', 'keep nothing').conflicts('data'))
    .option('--numbers <file>', 'phone numbers: a YAML or JSON list of { id, number, assistantId }')
    .addHelpText(
      'after',
      `
Examples:
  $ callwright sandbox start
  $ callwright sandbox start --memory --pace 0 --port 0 --json
  $ callwright sandbox start --data ./records.ndjson --numbers numbers.yaml

Assistants, tools, FAQ entries and calls work as on the service; webhooks go to the assistant's assistantServer.url.
The caller says what the call's metadata.caller lists, line by line: --metadata caller='["Are you open?"]'.
Ctrl-C ends running calls, sends their last webhooks and stops.`,
    )
    .action((options, command) =>
      run(command, async context => (await import('./start.ts')).start(options, context), {
        endsItself: true,
      }),
    )
  return sandbox
}
