import { Argument, Command } from 'commander'
import { type KindName, kindNames } from '../../interface/words.ts'
import type { Runner } from '../runner.ts'

/** `schema <kind>`. */
export function schemaCommand(run: Runner): Command {
  return new Command('schema')
    .description('print the JSON Schema (2020-12) of a kind of file, for editors and other tools')
    .addArgument(new Argument('<kind>', 'kind of file').choices(kindNames))
    .addHelpText(
      'after',
      `
Examples:
  $ callwright schema assistant > assistant.schema.json
  $ callwright schema knowledge-base`,
    )
    .action((kind: KindName, _options: unknown, command: Command) =>
      run(command, async context => (await import('./schema.ts')).schema({ kind }, context)),
    )
}
