import { Command, Option } from 'commander'
import { kindNames } from '../../interface/words.ts'
import type { Runner } from '../runner.ts'
import type { ValidateOptions } from './validate.ts'

/** `validate <path…>`. */
export function validateCommand(run: Runner): Command {
  return new Command('validate')
    .description('check resource files without the service: files, folders and glob patterns')
    .argument('<path...>', 'files, folders or patterns')
    .addOption(new Option('--kind <kind>', 'kind of the files, when no folder tells it').choices(kindNames))
    .option('--allow-unknown', 'accept fields that the interface does not know')
    .addHelpText(
      'after',
      `
The folders assistants/, tools/, knowledge-bases/ and overrides/ tell the kind
of the files in them.

Examples:
  $ callwright validate .
  $ callwright validate assistants/front-desk.yaml 'tools/**/*.yaml'
  $ callwright validate body.json --kind tool --json`,
    )
    .action((paths: string[], options: Omit<ValidateOptions, 'paths'>, command: Command) =>
      run(command, async context => (await import('./validate.ts')).validate({ ...options, paths }, context)),
    )
}
