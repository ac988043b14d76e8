import { Command } from 'commander'
import { parsePace } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function demoCommand(run: Runner): Command {
  return new Command('demo')
    .description('watch an assistant made from YAML hold a call, all on this machine')
    .option('--pace <factor>', '1 is real time, 4 four times faster, 0 does not wait', parsePace, 4)
    .addHelpText(
      'after',
      `
Starts the sandbox and a project in a temporary folder, applies it (a tool,
FAQ entries, an assistant), places a call, shows what is said, and prints the
analysis. No account, no network, no phone.

Examples:
  $ callwright demo
  $ callwright demo --pace 0 --json`,
    )
    .action((options, command) =>
      run(command, async context => (await import('./demo.ts')).demo(options, context), { endsItself: true }),
    )
}
