import { type Command, Option } from '@commander-js/extra-typings'
import { callLogStatuses, type LoggedCall } from '../../../calls/log/index.ts'
import { comparableNumber } from '../../../interface/phone-number.ts'
import { dim } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, type OptionsOf } from '../../shell/flags/flag.ts'
import { integerParser, parseSince, sinceTime } from '../../shell/flags/option-parsers.ts'
import { logTable, readLog } from './logged-calls.ts'

export const callListCommand = defineCommand({
  description: 'List the calls placed from this machine, latest first',
  examples: [
    'callyard call list',
    'callyard call list --since 7d --status no-answer',
    "callyard call list --json | jq -r '.calls[].id'",
  ],
  topics: ['call-log'],
  effect: 'none',
  flags: withFlags,
  async result({ z, required }) {
    const { loggedCallSchema } = await import('../../../calls/log/index.ts')
    return {
      document: z.object({
        calls: required(z.array(loggedCallSchema()), 'Latest first, as many as --limit allows'),
        total: required(z.int(), 'Number of calls that match'),
      }),
    }
  },
  run: list,
})

function withFlags(command: Command) {
  return command
    .option('--since <time>', 'Only calls from this time on: 2h, 7d, a day or a time', parseSince)
    .option('--to <number>', 'Only calls to this number')
    .option('--from <number>', 'Only calls from this number or phone number id')
    .addOption(
      new Flag('--assistant <name>', 'Only calls of this assistant, as it was given').completes(
        'assistant',
        'files',
      ),
    )
    .addOption(new Option('--status <status>', 'Only calls with this status').choices(callLogStatuses))
    .option('--limit <number>', 'Maximum number of calls', integerParser(1, 1_000_000), 30)
}

type ListOptions = OptionsOf<typeof withFlags>

async function list(options: ListOptions, context: Context): Promise<void> {
  const { output } = context
  const allCalls = await readLog(context)
  const matches = allCalls.filter(createFilter(options, context)).reverse()
  const calls = matches.slice(0, options.limit)
  output.result({ calls, total: matches.length }, () =>
    calls.length > 0 ? logTable(calls, output.width) : dim(noneText(allCalls)),
  )
  if (calls.length < matches.length)
    output.note(`Showing ${calls.length} of ${matches.length} calls; pass --limit for more`)
  else if (calls.length > 0) output.note(dim('Show one: callyard call show <id>, or --last'))
}

function noneText(calls: readonly LoggedCall[]): string {
  return calls.length === 0 ? 'no calls have been placed from this machine' : 'no calls match'
}

function createFilter(options: ListOptions, { clock, options: { profile, baseUrl } }: Context) {
  const { since, to, from, assistant, status } = options
  const start = since && sinceTime(since, clock.now())
  const expectedFields: Partial<LoggedCall> = {
    ...(assistant !== undefined && { assistant }),
    ...(status !== undefined && { status }),
    ...(profile !== undefined && { profile }),
    ...(baseUrl !== undefined && { service: baseUrl }),
  }
  const fields = Object.entries(expectedFields) as [keyof LoggedCall, unknown][]
  const isSame = (number: string, expectedNumber: string | undefined) =>
    expectedNumber === undefined ||
    number === expectedNumber ||
    (number.startsWith('+') && comparableNumber(number) === comparableNumber(expectedNumber))
  return (call: LoggedCall) =>
    (start === undefined || Date.parse(call.at) >= start) &&
    isSame(call.to, to) &&
    isSame(call.from, from) &&
    fields.every(([field, value]) => call[field] === value)
}
