import { Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { withFileFlags, withReportFlags } from '../../cli/flags/file-flags.ts'
import { kindNames } from '../../interface/words.ts'

export const validateCommand = defineCommand('validate', {
  description: 'Check resource files offline',
  examples: [
    'callwright validate .',
    "callwright validate assistants/front-desk.yaml 'tools/**/*.yaml'",
    'callwright validate . --junit callwright.xml --sarif callwright.sarif',
  ],
  topics: ['files'],
  flags: command =>
    withReportFlags(
      withFileFlags(
        command
          .argument('<path...>', 'Files, folders or glob patterns')
          .addOption(new Option('--kind <kind>', 'Kind of the files').choices(kindNames)),
        'Accept',
      ),
    ),
  run: async (options, context, [paths]) =>
    (await import('./validate.ts')).validate({ ...options, paths }, context),
})
