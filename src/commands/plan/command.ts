import { Command } from 'commander'
import { parseTargetName } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function planCommand(run: Runner): Command {
  return new Command('plan')
    .description('show what apply would change: sends nothing, needs no key')
    .option('--target <name>', 'section of the lockfile (default: the name of the profile)', parseTargetName)
    .option('--new-target', 'begin a second target at a base URL that the lockfile knows')
    .option('--out <file>', 'also write the plan to a file, for callwright apply <file>')
    .option('--exit-code', 'end with 7 when changes are pending; 8 when something is blocked, always')
    .option('--allow-unknown', 'accept fields that the interface does not know')
    .addHelpText(
      'after',
      `
Compares the files of the project (callwright.yaml, tools/, knowledge-bases/,
assistants/) with callwright.lock.yaml, which says what was last sent. Secrets
from the environment are shown by name alone.
  +  is created      ~  is updated       ±  a new one takes its place
  !  is blocked      ?  no file has it any more

Examples:
  $ callwright plan
  $ callwright plan --exit-code --json \\
      | jq '.actions[] | select(.action != "unchanged")'
  $ callwright plan --target production --out plan.json
  $ callwright apply plan.json`,
    )
    .action((options, command) =>
      run(command, async context => (await import('./plan.ts')).plan(options, context)),
    )
}
