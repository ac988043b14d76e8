import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import { parseDuration } from '../../cli/flags/option-parsers.ts'
import { CallwrightError } from '../../lib/error.ts'
import type { TimeBound } from '../../webhook/index.ts'
import { collectHeader, collectId, parseReceiver, withFormatFlags, withMessageFlags } from './flags.ts'

export const webhookReplayCommand = defineCommand({
  description: 'Print a recording, or send its events to a server again',
  examples: [
    'callwright webhook replay calls.ndjson --timestamps relative',
    'callwright webhook replay calls.ndjson --to http://127.0.0.1:3000/hook --speed max',
  ],
  topics: ['replay', 'filters'],
  flags: withFlags,
  needs: { to: ['header'] },
  async run(options, context, [file]) {
    const { to } = options
    if (to === undefined) {
      const { printRecording } = await import('./print-events.ts')
      return printRecording(file, options, context)
    }
    assertPlain(options)
    const { replay } = await import('./send-recording.ts')
    return replay(file, to, options, context)
  },
})

function withFlags(command: Command) {
  return withFormatFlags(
    withMessageFlags(
      command
        .argument('<file>', 'Recording of webhook tail --record')
        .addOption(
          new Flag('--to <url>', 'Server to send to (default: print)').secret().argParser(parseReceiver),
        )
        .option('--speed <factor>', 'Times as fast, or max (default: 1 with --to, else max)', parseSpeed)
        .addOption(new Flag('--call <id>', 'Only the events of this call').repeatable(collectId))
        .addOption(new Flag('--type <type>', 'Only events of this type').repeatable(collectId))
        .option('--from <time>', 'Only events from this time on, as 2m', parseMoment)
        .option('--until <time>', 'Only events up to this time', parseMoment)
        .addOption(
          new Flag('--header <header>', "Send this 'name: value' too").secret().repeatable(collectHeader),
        ),
    ),
  )
}

export type ReplayOptions = OptionsOf<typeof withFlags>

/** @throws CallwrightError `usage` for a flag about printing where nothing is printed */
function assertPlain({ role, status, compact, timestamps }: ReplayOptions): void {
  const given = [
    role !== undefined && '--role',
    status !== undefined && '--status',
    compact === true && '--compact',
    timestamps !== 'none' && '--timestamps',
  ].find(flag => flag !== false)
  if (given === undefined) return
  throw new CallwrightError('usage', `${given} is for printing, and --to sends`, {
    hint: 'leave one of them out; --call, --type, --from and --until choose what is sent',
  })
}

/** How many times as fast; Infinity for max. */
function parseSpeed(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const speed = Number(text)
  if (text.trim() === '' || !(speed >= 0.01 && speed <= 1000)) {
    throw new InvalidArgumentError('Give a factor from 0.01 to 1000, such as 1 or 10, or max.')
  }
  return speed
}

function parseMoment(text: string): TimeBound {
  if (/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d))?$/i.test(text)) {
    const at = Date.parse(text)
    if (!Number.isNaN(at)) return { at }
  }
  try {
    return { after: parseDuration(text) }
  } catch {
    throw new InvalidArgumentError(
      'Give a time such as 2026-03-01T10:00:00Z, or one from the start of the recording such as 90s or 2m.',
    )
  }
}
