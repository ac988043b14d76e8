import { Command, Option } from 'commander'
import { httpFaultNames } from '../../sandbox/http/http-faults.ts'
import { webhookFaultNames } from '../../sandbox/webhooks/webhook-faults.ts'
import { withLlmOptions } from '../llm-options.ts'
import { faultCollector, parsePace, parsePort, parseSeed } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function sandboxCommand(run: Runner): Command {
  const sandbox = new Command('sandbox').description('run the whole service on this machine')
  const start = sandbox
    .command('start')
    .description('start the service, save it as the profile sandbox, and log what happens')
    .option('--host <address>', 'loopback address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', parsePort, 4010)
    .option('--pace <factor>', 'how many times faster than real time; 0 does not wait at all', parsePace, 1)
    .option('--data <file>', 'where records are kept; without it in the configuration folder')
    .addOption(new Option('--memory', 'keep nothing').conflicts('data'))
    .option('--numbers <file>', 'phone numbers: a YAML or JSON list of { id, number, assistantId }')
    .addOption(
      new Option(
        '--caller <who>',
        "where the caller's lines come from: a script, or the call's control URL (live)",
      )
        .choices(['script', 'live'])
        .default('script'),
    )
  withLlmOptions(start)
    .option(
      '--fault <list>',
      `faults of webhooks: ${webhookFaultNames.join(', ')}, each with =probability (repeatable)`,
      faultCollector(webhookFaultNames),
    )
    .option(
      '--fault-http <list>',
      `faults of the API: ${httpFaultNames.join(', ')}, each with =probability (repeatable)`,
      faultCollector(httpFaultNames),
    )
    .option('--seed <n>', 'the same seed gives the same ids and faults; without it a new one', parseSeed)
    .addHelpText(
      'after',
      `
Examples:
  $ callwright sandbox start
  $ callwright sandbox start --memory --pace 0 --port 0 --json
  $ callwright sandbox start --data ./records.ndjson --numbers numbers.yaml
  $ callwright sandbox start --llm-url http://127.0.0.1:11434/v1 \\
      --llm-model llama3.2
  $ callwright sandbox start --fault duplicate=0.5,reorder,delay --seed 7
  $ callwright sandbox start --fault-http 429=0.3,reset=0.1 --seed 7

Assistants, tools, FAQ entries and calls work as on the service; webhooks go to
the assistant's assistantServer.url. The caller says what the call's
metadata.caller lists, line by line: --metadata caller='["Are you open?"]'.
The key of --llm-url stands in CALLWRIGHT_LLM_API_KEY.
\`callwright help sandbox\` says what each fault does. Ctrl-C ends running
calls, sends their last webhooks and stops.`,
    )
    .action((options, command) =>
      run(command, async context => (await import('./start.ts')).start(options, context), {
        endsItself: true,
      }),
    )
  return sandbox
}
