import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { parseTargetName } from '../../cli/flags/option-parsers.ts'
import { outsideOption } from '../../cli/flags/outside-option.ts'
import type { Runner } from '../../cli/runner.ts'

export function toolCommand(run: Runner): Command {
  const tool = new CliCommand('tool')
    .description('Create and update the function tools that assistants call')
    .examples('callwright tool create tools/book.yaml', 'callwright tool update 6650f0c2 changes.yaml')

  tool
    .command('create')
    .argument('<file>', 'YAML or JSON file of the tool')
    .description('Create a tool from a file')
    .option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
    .option('--again', 'Create another one of a file that the target has already')
    .option('--allow-unknown', 'Send fields that the interface does not know')
    .addOption(outsideOption())
    .examples(
      'callwright tool create tools/book.yaml',
      'callwright tool create tools/book.yaml --json | jq -r ._id',
    )
    .learnMore('files')
    .action((file, options, command) =>
      run(command, async context => (await import('./create.ts')).createTool({ ...options, file }, context)),
    )

  tool
    .command('update')
    .argument('<id>', 'Id of the tool, or its name in the project')
    .argument('<file>', 'YAML or JSON file of the fields to change')
    .description('Update the fields of a tool that a file holds')
    .option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
    .option('--allow-unknown', 'Send fields that the interface does not know')
    .addOption(outsideOption())
    .examples('callwright tool update 6650f0c2 changes.yaml', 'callwright tool update book tools/book.yaml')
    .learnMore('files', 'projects')
    .action((id, file, options, command) =>
      run(command, async context =>
        (await import('./update.ts')).updateTool({ ...options, id, file }, context),
      ),
    )

  return tool
}
