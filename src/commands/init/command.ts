import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import type { Runner } from '../../cli/runner.ts'

/** `init [dir]`. */
export function initCommand(run: Runner): Command {
  return new CliCommand('init')
    .description('Write a starter project: assistant, tool, FAQ, schemas, CI')
    .argument('[dir]', 'Folder of the project; files that exist are kept', '.')
    .examples('callwright init desk', "callwright init --json | jq -r '.written[]'")
    .learnMore('files', 'projects')
    .action((dir: string, _options: unknown, command: Command) =>
      run(command, async context => (await import('./init.ts')).init({ dir }, context)),
    )
}
