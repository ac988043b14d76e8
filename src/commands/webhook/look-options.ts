import { type Command, Option } from 'commander'
import { type TimestampForm, timestampForms } from '../../output/timestamp-forms.ts'
import { parseWord } from './filter-options.ts'

/** How a transcript looks on a terminal. */
export interface LookOptions {
  readonly compact?: boolean
  readonly timestamps?: TimestampForm
}

/** Adds --compact and --timestamps. */
export function withLookOptions(command: Command): Command {
  return command.option('--compact', 'print each message on one line, cut at the width').addOption(
    new Option('--timestamps <form>', 'print when it was said in front of each line')
      .choices(timestampForms)
      .argParser(text => parseWord(text, timestampForms))
      .default('none'),
  )
}

/** For the help of a command that takes both; at most 78 columns. */
export const lookHelp = `--timestamps relative counts from the first event of the call, as +1:05; local
is the clock of this machine, iso the time in UTC with milliseconds. A message
has its own timestamp where the service sent one, all else that of its
arrival. --compact and --timestamps change nothing about --json.`
