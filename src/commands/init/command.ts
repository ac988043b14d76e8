import { Command } from 'commander'
import type { Runner } from '../runner.ts'

/** `init [dir]`. */
export function initCommand(run: Runner): Command {
  return new Command('init')
    .description(
      'write a starter project: an assistant, a tool, FAQ entries, schemas for editors, a CI example',
    )
    .argument('[dir]', 'folder of the project; made when it is missing', '.')
    .addHelpText(
      'after',
      `
Never changes a file that is there: it is kept, and named as kept. Run it again
to get back a file that you deleted.

Examples:
  $ callwright init desk
  $ callwright init --json | jq -r '.written[]'`,
    )
    .action((dir: string, _options: unknown, command: Command) =>
      run(command, async context => (await import('./init.ts')).init({ dir }, context)),
    )
}
