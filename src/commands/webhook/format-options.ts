import { type Command, Option } from 'commander'
import { type TimestampForm, timestampForms } from '../../transcript/index.ts'
import { parseWord } from './filter-options.ts'

/** How a transcript looks on a terminal. */
export interface FormatOptions {
  readonly compact?: boolean
  readonly timestamps?: TimestampForm
}

/** Adds --compact and --timestamps. */
export function withLookOptions<C extends Command>(command: C): C {
  return command.option('--compact', 'Print each message on one line, cut at the width').addOption(
    new Option('--timestamps <form>', 'Print times')
      .choices(timestampForms)
      .argParser(text => parseWord(text, timestampForms))
      .default('none'),
  )
}
