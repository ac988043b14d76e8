import { unansweredStatusOf } from '../interface/words.ts'
import { duration, localDate, timeOfDay } from '../lib/text/date-time.ts'
import { shortIds } from '../lib/text/did-you-mean.ts'
import { type TableColumn, table, wholeWidth } from '../lib/text/table.ts'
import { bold, type Text, yellow } from '../lib/text/text.ts'
import { type CallTranscript, callName } from '../webhook/index.ts'
import { beginOf, type CallTimes, callLength, ringArrow, successOf, unansweredCall } from './call-words.ts'

/**
 * Calls as rows of a table: short id, local time of the beginning, who rang whom, duration, messages, status and success.
 * Width in columns.
 */
export function callTable(calls: readonly CallTranscript[], width: number): Text {
  const numbers = new Set(
    calls.map(({ assistantNumber }) => assistantNumber).filter(number => number !== null),
  )
  const [assistant] = numbers
  const both = columnsOf(calls, {
    heading: 'who rang whom',
    cell: call => `${call.assistantNumber ?? '?'} ${userOf(call)}`,
  })
  const isOne = numbers.size === 1 && calls.length > 1
  // Where there is no room for both, the user's is the number that tells calls apart.
  const hasRoom = !isOne && wholeWidth(calls, both) <= width
  const user = { heading: (isOne ? assistant : undefined) ?? 'user', cell: userOf }
  return table(calls, hasRoom ? both : columnsOf(calls, user), width)
}

function columnsOf(
  calls: readonly CallTranscript[],
  who: Pick<TableColumn<CallTranscript>, 'heading' | 'cell'>,
): TableColumn<CallTranscript>[] {
  const ids = shortIds(calls.map(callName))
  const [date = '', ...otherDates] = new Set(calls.map(call => localDate(beginOf(timesOf(call)))))
  const isOneDay = otherDates.length === 0
  return [
    {
      heading: 'call',
      cell: call => ids.get(callName(call)) ?? '',
      min: 8,
      cut: 'beginning',
      style: bold,
    },
    {
      heading: isOneDay ? date : 'began',
      cell: call => {
        const at = beginOf(timesOf(call))
        return isOneDay ? timeOfDay(at) : `${localDate(at)} ${timeOfDay(at)}`
      },
      min: '10:00:00'.length,
    },
    { ...who, min: '→ +12025550123'.length, leaveOut: 1 },
    { heading: 'took', cell: tookOf, min: 4, align: 'right', leaveOut: 2 },
    { heading: 'msgs', cell: ({ messages }) => String(messages.length), min: 4, align: 'right', leaveOut: 3 },
    {
      heading: 'status',
      cell: statusOf,
      min: 8,
      style: cell =>
        typeof cell === 'string' && unansweredStatusOf(cell) !== undefined ? yellow(cell) : cell,
    },
    { heading: 'success', cell: successOf, min: 7, leaveOut: 4 },
  ]
}

/** Why a call was not answered: its status `finished` does not say that. */
function statusOf(call: CallTranscript): string {
  const { statuses, ended } = call
  const { status, phoneCallStatus } = statuses.at(-1) ?? {}
  return unansweredCall(call) === undefined
    ? (status ?? (ended ? 'ended' : '–'))
    : (phoneCallStatus ?? status ?? '')
}

function userOf({ direction, userNumber }: CallTranscript): string {
  return `${ringArrow(direction)} ${userNumber ?? '?'}`
}

export function timesOf(call: CallTranscript): CallTimes {
  return { ...call, firstAt: Date.parse(call.firstAt), lastAt: Date.parse(call.lastAt) }
}

/** By its own times or else those of its events; nothing of a call that has no end. */
function tookOf(call: CallTranscript): string {
  return call.ended ? duration(callLength(timesOf(call))) : ''
}
