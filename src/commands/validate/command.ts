import { type Command, Option } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { outsideOption } from '../../cli/flags/outside-option.ts'
import type { Runner } from '../../cli/runner.ts'
import { kindNames } from '../../interface/words.ts'
import { withReportOptions } from '../reports/report-options.ts'
import type { ValidateOptions } from './validate.ts'

/** `validate <path…>`. */
export function validateCommand(run: Runner): Command {
  const command = new CliCommand('validate')
    .description('Check resource files offline')
    .argument('<path...>', 'Files, folders or glob patterns')
    .addOption(new Option('--kind <kind>', 'Kind of the files').choices(kindNames))
    .option('--allow-unknown', 'Accept fields that the interface does not know')
    .addOption(outsideOption())
  return withReportOptions(command)
    .examples(
      'callwright validate .',
      "callwright validate assistants/front-desk.yaml 'tools/**/*.yaml'",
      'callwright validate . --junit callwright.xml --sarif callwright.sarif',
    )
    .learnMore('files')
    .action((paths: string[], options: Omit<ValidateOptions, 'paths'>, command: Command) =>
      run(command, async context => (await import('./validate.ts')).validate({ ...options, paths }, context)),
    )
}
