import { Command } from 'commander'
import { parseTargetName } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function toolCommand(run: Runner): Command {
  const tool = new Command('tool').description('create and update the function tools that assistants call')

  tool
    .command('create')
    .argument('<file>', 'YAML or JSON file that holds the tool')
    .description('create a tool from a file')
    .option('--target <name>', 'section of the lockfile (default: the name of the profile)', parseTargetName)
    .option('--allow-unknown', 'send fields that the interface does not know as they are')
    .addHelpText(
      'after',
      '\nExamples:\n  $ callwright tool create tools/book.yaml\n  $ callwright tool create tools/book.yaml --json | jq -r ._id',
    )
    .action((file, options, command) =>
      run(command, async context => (await import('./create.ts')).createTool({ ...options, file }, context)),
    )

  tool
    .command('update')
    .argument('<id>', 'id of the tool, or its name in the project')
    .argument('<file>', 'YAML or JSON file with the fields to change: async, function, messages, server')
    .description('change the fields of a tool that the file holds')
    .option('--target <name>', 'section of the lockfile (default: the name of the profile)', parseTargetName)
    .option('--allow-unknown', 'send fields that the interface does not know as they are')
    .addHelpText(
      'after',
      '\nExamples:\n  $ callwright tool update 6650f0c2 changes.yaml\n  $ callwright tool update book tools/book.yaml',
    )
    .action((id, file, options, command) =>
      run(command, async context =>
        (await import('./update.ts')).updateTool({ ...options, id, file }, context),
      ),
    )

  return tool
}
