import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { NoOptions, OptionsOf } from './flag.ts'
import { parseTargetName } from './option-parsers.ts'

/** Adds `--target`. */
export function withTargetFlag<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command.option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
}

/** Adds `--allow-unknown` and `--allow-outside`, of a command that reads files of assistants, tools or knowledge bases. */
export function withFileFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  does: 'Send' | 'Accept' = 'Send',
) {
  return command
    .option('--allow-unknown', `${does} fields that the interface does not know`)
    .option('--allow-outside', 'Let ${file:…} lead out of the project')
}

export type FileOptions = OptionsOf<typeof withFileFlags<[], NoOptions>>

/** Adds `--junit` and `--sarif`, of a command whose findings are about lines of files. */
export function withReportFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--junit <file>', 'Write a JUnit report too')
    .option('--sarif <file>', 'Write the findings as SARIF too')
}

export type ReportOptions = OptionsOf<typeof withReportFlags<[], NoOptions>>
