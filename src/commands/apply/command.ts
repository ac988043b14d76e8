import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { collect, parseInteger, parseTargetName } from '../../cli/flags/option-parsers.ts'
import { outsideOption } from '../../cli/flags/outside-option.ts'
import type { Runner } from '../../cli/runner.ts'

export function applyCommand(run: Runner): Command {
  return new CliCommand('apply')
    .argument('[plan]', 'Plan that callwright plan --out saved')
    .description('Bring the service up to date with the files of a project')
    .option('--yes', 'Do not ask')
    .option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
    .option('--new-target', 'Start a second target at a known base URL')
    .option('--parallelism <n>', 'Resources at a time (default: 4)', text => parseInteger(text, 1, 64))
    .option('--adopt <address=id>', 'Take over an existing resource (repeatable)', collect)
    .option('--forget <address>', 'Forget a resource that does not exist (repeatable)', collect)
    .option('--junit <file>', 'Write a JUnit report too')
    .option('--allow-unknown', 'Send fields that the interface does not know')
    .addOption(outsideOption())
    .examples('callwright apply', 'callwright apply --yes --target production --junit callwright.xml')
    .learnMore('projects')
    .action((plan, options, command) =>
      run(command, async context => (await import('./apply.ts')).apply({ ...options, plan }, context), {
        endsItself: true,
      }),
    )
}
