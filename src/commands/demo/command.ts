import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { parsePace } from '../../cli/flags/option-parsers.ts'
import type { Runner } from '../../cli/runner.ts'

export function demoCommand(run: Runner): Command {
  return new CliCommand('demo')
    .description('Watch an assistant hold a call, all on this machine')
    .option('--pace <factor>', 'Speed; 1 is real time, 0 does not wait', parsePace, 4)
    .examples('callwright demo', 'callwright demo --pace 0 --json')
    .learnMore('sandbox')
    .action((options, command) =>
      run(command, async context => (await import('./demo.ts')).demo(options, context), { endsItself: true }),
    )
}
