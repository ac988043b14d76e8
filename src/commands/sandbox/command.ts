import { type Command, Option } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { withLlmOptions } from '../../cli/flags/llm-options.ts'
import { faultCollector, parsePace, parsePort, parseSeed } from '../../cli/flags/option-parsers.ts'
import type { Runner } from '../../cli/runner.ts'
import { httpFaultNames, webhookFaultNames } from '../../sandbox/index.ts'

export function sandboxCommand(run: Runner): Command {
  const sandbox = new CliCommand('sandbox')
    .description('Run the whole service on this machine')
    .examples('callwright sandbox start', 'callwright sandbox start --memory --pace 0 --port 0')
  const start = sandbox
    .command('start')
    .description('Start the service, save it as a profile, and log what happens')
    .option('--host <address>', 'Loopback address to listen on', '127.0.0.1')
    .option('--port <number>', 'Port to listen on; 0 picks a free one', parsePort, 4010)
    .option('--pace <factor>', 'Speed; 1 is real time, 0 does not wait', parsePace, 1)
    .option('--data <file>', 'Keep records here (default: the configuration folder)')
    .addOption(new Option('--memory', 'Keep no records').conflicts('data'))
    .option('--save-profile <name>', 'Profile while it runs (default: sandbox)')
    .option('--numbers <file>', 'List of { id, number, assistantId, phoneVendor }')
    .addOption(
      new Option('--caller <who>', "Where the caller's lines come from")
        .choices(['script', 'live'])
        .default('script'),
    )
  withLlmOptions(start)
    .option(
      '--fault <list>',
      'Inject faults into webhooks, as drop=0.1 (repeatable)',
      faultCollector(webhookFaultNames),
    )
    .option(
      '--fault-http <list>',
      'Inject faults into requests, as 429=0.3 (repeatable)',
      faultCollector(httpFaultNames),
    )
    .option('--seed <n>', 'Repeat the ids and faults of a run with this seed', parseSeed)
    .examples(
      'callwright sandbox start',
      'callwright sandbox start --fault duplicate=0.5,reorder,delay --seed 7',
    )
    .learnMore('sandbox', 'sandbox-replies', 'sandbox-fields', 'sandbox-faults')
    .action((options, command) =>
      run(command, async context => (await import('./start.ts')).start(options, context), {
        endsItself: true,
      }),
    )
  return sandbox
}
