import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../cli/cli-command.ts'
import { type OptionsOf, withFileFlags, withReportFlags, withTargetFlag } from '../cli/flags/flag.ts'

export const planCommand = defineCommand({
  description: 'Show what apply would change; send nothing',
  examples: ['callwright plan', 'callwright plan --target production --out plan.json'],
  topics: ['projects'],
  flags: withFlags,
  run: async (options, context) => (await import('./plan-project.ts')).plan(options, context),
})

function withFlags(command: Command) {
  return withReportFlags(
    withFileFlags(
      withTargetFlag(command)
        .option('--new-target', 'Start a second target at a known base URL')
        .option('--out <file>', 'Save the plan, for callwright apply <file>')
        .option('--exit-code', 'End 7 when changes are pending (8: something is blocked)'),
      'Accept',
    ),
  )
}

export type PlanOptions = OptionsOf<typeof withFlags>
