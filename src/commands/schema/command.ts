import { Argument, type Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import type { Runner } from '../../cli/runner.ts'
import { type KindName, kindNames } from '../../interface/words.ts'

/** `schema <kind>`. */
export function schemaCommand(run: Runner): Command {
  return new CliCommand('schema')
    .description('Print the JSON Schema of a kind of file')
    .addArgument(new Argument('<kind>', 'Kind of file').choices(kindNames))
    .examples('callwright schema assistant > assistant.schema.json', 'callwright schema knowledge-base')
    .learnMore('files')
    .action((kind: KindName, _options: unknown, command: Command) =>
      run(command, async context => (await import('./schema.ts')).schema({ kind }, context)),
    )
}
