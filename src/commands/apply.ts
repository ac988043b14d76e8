import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../cli/cli-command.ts'
import { Flag, type OptionsOf, withFileFlags, withTargetFlag } from '../cli/flags/flag.ts'
import { collect, parseInteger } from '../cli/flags/option-parsers.ts'

export const applyCommand = defineCommand({
  description: 'Bring the service up to date with the files of a project',
  examples: ['callwright apply', 'callwright apply --yes --target production --junit callwright.xml'],
  topics: ['projects'],
  flags: withFlags,
  run: async (options, context, [plan]) =>
    (await import('./apply-project.ts')).apply({ ...options, plan }, context),
  endsItself: () => true,
})

function withFlags(command: Command) {
  return withFileFlags(
    withTargetFlag(
      command.argument('[plan]', 'Plan that callwright plan --out saved').option('-y, --yes', 'Do not ask'),
    )
      .option('--new-target', 'Start a second target at a known base URL')
      .option('--parallelism <n>', 'Resources at a time (default: 4)', text => parseInteger(text, 1, 64))
      .addOption(new Flag('--adopt <address=id>', 'Take over an existing resource').repeatable(collect))
      .addOption(new Flag('--forget <address>', 'Forget a resource that does not exist').repeatable(collect))
      .option('--junit <file>', 'Write a JUnit report too'),
  )
}

export type ApplyOptions = OptionsOf<typeof withFlags>
