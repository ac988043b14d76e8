import { Command } from 'commander'
import { parseTargetName } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function assistantCommand(run: Runner): Command {
  const assistant = new Command('assistant').description('create assistants')

  assistant
    .command('create')
    .argument('[file]', 'YAML or JSON file that holds the assistant; without it, a form asks')
    .description('create an assistant from a file, or by answering questions')
    .option('--target <name>', 'section of the lockfile (default: the name of the profile)', parseTargetName)
    .option('--allow-unknown', 'send fields that the interface does not know as they are')
    .addHelpText(
      'after',
      '\nExamples:\n  $ callwright assistant create assistants/desk.yaml\n  $ callwright assistant create          # asks, and can save the YAML\n  $ callwright assistant create assistants/desk.yaml --json | jq -r ._id',
    )
    .action((file, options, command) =>
      run(command, async context =>
        (await import('./create.ts')).createAssistant({ ...options, file }, context),
      ),
    )

  return assistant
}
