import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { parseTargetName } from '../../cli/flags/option-parsers.ts'
import { outsideOption } from '../../cli/flags/outside-option.ts'
import type { Runner } from '../../cli/runner.ts'

export function assistantCommand(run: Runner): Command {
  const assistant = new CliCommand('assistant')
    .description('Create assistants')
    .examples('callwright assistant create assistants/front-desk.yaml', 'callwright assistant create')

  assistant
    .command('create')
    .argument('[file]', 'YAML or JSON file of the assistant; without it, a form asks')
    .description('Create an assistant from a file, or by answering questions')
    .option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
    .option('--again', 'Create another one of a file that the target has already')
    .option('--allow-unknown', 'Send fields that the interface does not know')
    .addOption(outsideOption())
    .examples(
      'callwright assistant create assistants/front-desk.yaml',
      'callwright assistant create assistants/front-desk.yaml --json | jq -r ._id',
    )
    .learnMore('files')
    .action((file, options, command) =>
      run(command, async context =>
        (await import('./create.ts')).createAssistant({ ...options, file }, context),
      ),
    )

  return assistant
}
