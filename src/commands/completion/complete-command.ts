import { Argument, type Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import type { Runner } from '../../cli/runner.ts'
import { type ValueSource, valueSources } from './values.ts'

/**
 * `__complete <source> [word]`, which the completion scripts run at each Tab: one value a line, with a tab before its
 * description.
 */
export function completeCommand(run: Runner): Command {
  return new CliCommand('__complete')
    .addArgument(new Argument('<source>', 'What to offer').choices(valueSources))
    .argument('[word]', 'What stands before the cursor', '')
    .description('List the values that a word may become')
    .action((source: ValueSource, word: string, _options, command: Command) =>
      run(command, async context => {
        const { findValues } = await import('./find-values.ts')
        const values = await findValues(source, word, context)
        const line = ({ value, description }: (typeof values)[number]) =>
          description === undefined ? value : `${value}\t${description}`
        if (context.output.json) context.output.result({ values }, () => '')
        else context.output.raw(values.map(each => `${line(each)}\n`).join(''))
      }),
    )
}
