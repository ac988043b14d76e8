import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../cli/cli-command.ts'
import { type OptionsOf, withFileFlags, withReportFlags } from '../cli/flags/flag.ts'
import { kindNames } from '../interface/words.ts'

export const validateCommand = defineCommand({
  description: 'Check resource files offline',
  examples: [
    'callwright validate .',
    "callwright validate assistants/front-desk.yaml 'tools/**/*.yaml'",
    'callwright validate . --junit callwright.xml --sarif callwright.sarif',
  ],
  topics: ['files'],
  flags: withFlags,
  run: async (options, context, [paths]) =>
    (await import('./validate-files.ts')).validateFiles(paths, options, context),
})

function withFlags(command: Command) {
  return withReportFlags(
    withFileFlags(
      command
        .argument('<path...>', 'Files, folders or glob patterns')
        .addOption(new Option('--kind <kind>', 'Kind of the files').choices(kindNames))
        .option('--skip-unknown', 'Skip files that are not part of a project'),
      'Accept',
    ),
  )
}

export type ValidateOptions = OptionsOf<typeof withFlags>
