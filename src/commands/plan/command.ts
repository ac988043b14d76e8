import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { parseTargetName } from '../../cli/flags/option-parsers.ts'
import { outsideOption } from '../../cli/flags/outside-option.ts'
import type { Runner } from '../../cli/runner.ts'
import { withReportOptions } from '../reports/report-options.ts'

export function planCommand(run: Runner): Command {
  const command = new CliCommand('plan')
    .description('Show what apply would change; send nothing')
    .option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
    .option('--new-target', 'Start a second target at a known base URL')
    .option('--out <file>', 'Save the plan, for callwright apply <file>')
    .option('--exit-code', 'End 7 when changes are pending (8: something is blocked)')
    .option('--allow-unknown', 'Accept fields that the interface does not know')
    .addOption(outsideOption())
  return withReportOptions(command)
    .examples('callwright plan', 'callwright plan --target production --out plan.json')
    .learnMore('projects')
    .action((options, command) =>
      run(command, async context => (await import('./plan.ts')).plan(options, context)),
    )
}
