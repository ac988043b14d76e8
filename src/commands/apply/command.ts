import { Command } from 'commander'
import { collect, parseInteger, parseTargetName } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function applyCommand(run: Runner): Command {
  return new Command('apply')
    .argument('[plan]', 'file that callwright plan --out wrote; refused when anything changed since')
    .description('make the service hold what the files of the project say')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .option('--target <name>', 'section of the lockfile (default: the name of the profile)', parseTargetName)
    .option('--new-target', 'begin a second target at a base URL that the lockfile knows')
    .option('--parallelism <n>', 'most resources at once (default: 4)', text => parseInteger(text, 1, 64))
    .option(
      '--adopt <address=id>',
      'take a tool or assistant that exists as this file’s; repeatable',
      collect,
    )
    .option(
      '--forget <address>',
      'take a resource, or its unanswered creation, as not there; repeatable',
      collect,
    )
    .option('--junit <file>', 'also write a JUnit report')
    .option('--allow-unknown', 'send fields that the interface does not know as they are')
    .addHelpText(
      'after',
      `
Tools and knowledge bases come before the assistants that refer to them. What is
done is written to callwright.lock.yaml at once: commit it. A failure stops what
depends on it and nothing else; run again for the rest. Nothing is created
twice: where an answer was lost, apply stops (9) until you say what is there,
with --adopt or --forget.

Examples:
  $ callwright apply
  $ callwright apply --yes --target production --junit callwright.xml
  $ callwright apply --adopt tool/book=6650f0c2`,
    )
    .action((plan, options, command) =>
      run(command, async context => (await import('./apply.ts')).apply({ ...options, plan }, context), {
        endsItself: true,
      }),
    )
}
