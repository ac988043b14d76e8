import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type NoOptions, type OptionsOf } from '../../cli/flags/flag.ts'
import { collectId } from '../webhook/flags.ts'

const expectations = ['says', 'calls', 'ends', 'analysis', 'interruptions', 'all'] as const

export const testRecordCommand = defineCommand({
  description: 'Write a test from a recorded call',
  examples: [
    'callwright test record calls.ndjson --call CC-7d3f2c1e --out tests/booking.test.yaml',
    'callwright test record calls.ndjson --last --redact --expect all',
  ],
  topics: ['testing', 'recording'],
  flags: withFlags,
  needs: { out: ['force'] },
  run: async (options, context, [file]) =>
    (await import('./record-test.ts')).recordTest(file, options, context),
})

function withFlags(command: Command) {
  return withRedactFlags(
    command
      .argument('<recording>', 'Recording of webhook tail --record; - is stdin')
      .addOption(new Flag('--call <id>', 'Call, by a beginning of its id').repeatable(collectId))
      .option('--last', 'The call that began last')
      .option('--out <file>', 'File to write, tests/x.test.yaml; of several calls a folder (default: stdout)')
      .option('--force', 'Replace a file that is there')
      .addOption(expectFlag()),
  )
}

/** The options of what makes a file from recorded calls: it is kept, and shown to others. */
export function withRedactFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--redact', 'Replace names, phone numbers, addresses and long numbers')
    .addOption(new Flag('--redact-also <text>', 'Replace this name or word, too').repeatable(collectId))
}

export type RedactOptions = OptionsOf<typeof withRedactFlags<[], NoOptions>>

function expectFlag() {
  const flag = new Flag('--expect <what>', 'Expect this, and not in a comment (default: ends)')
  flag.choices(expectations)
  return flag.repeatable(collectExpectation)
}

function collectExpectation(
  text: string,
  collected: readonly (typeof expectations)[number][] = [],
): (typeof expectations)[number][] {
  const word = expectations.find(each => each === text)
  if (word === undefined) throw new InvalidArgumentError(`Give one of ${expectations.join(', ')}.`)
  return [...collected, word]
}

export type RecordOptions = OptionsOf<typeof withFlags>
