import { type CallTranscript, callName } from '../conversation/index.ts'
import { toUnansweredStatus } from '../interface/words.ts'
import { duration, localDate, localDateTime, timeOfDay } from '../lib/text/date-time.ts'
import { shortIds } from '../lib/text/did-you-mean.ts'
import { type TableColumn, table, wholeWidth } from '../lib/text/table.ts'
import { bold, type Text, yellow } from '../lib/text/text.ts'
import {
  type CallTimes,
  formatSuccess,
  getCallDuration,
  getCallStart,
  getDirectionArrow,
  getUnansweredStatus,
} from './call-words.ts'

/** Formats calls as a table. Wide terminals also show the assistant's number; narrow ones omit a date that all calls share. */
export function callTable(calls: readonly CallTranscript[], width: number): Text {
  const both = {
    heading: 'numbers',
    cell: (call: CallTranscript) => `${call.assistantNumber ?? '?'} ${formatUser(call)}`,
  }
  // Calls differ in the user's number.
  const user = { heading: 'number', cell: formatUser }
  const isOneDay = new Set(calls.map(call => localDate(getStart(call)))).size <= 1
  const wide = [createColumns(calls, dateAndTime, both), createColumns(calls, dateAndTime, user)]
  const narrow = createColumns(calls, isOneDay ? time : dateAndTime, user)
  return table(calls, wide.find(columns => wholeWidth(calls, columns) <= width) ?? narrow, width)
}

type Cell = TableColumn<CallTranscript>['cell']

const time: Cell = call => timeOfDay(getStart(call))
const dateAndTime: Cell = call => localDateTime(getStart(call))

function getStart(call: CallTranscript): number {
  return getCallStart(getCallTimes(call))
}

function createColumns(
  calls: readonly CallTranscript[],
  started: Cell,
  who: Pick<TableColumn<CallTranscript>, 'heading' | 'cell'>,
): TableColumn<CallTranscript>[] {
  const ids = shortIds(calls.map(callName))
  return [
    {
      heading: 'call',
      cell: call => ids.get(callName(call)) ?? '',
      min: 8,
      cut: 'beginning',
      style: bold,
    },
    { heading: 'started', cell: started, min: '10:00:00'.length, cut: 'beginning' },
    { ...who, min: '→ +12025550123'.length, leaveOut: 1 },
    { heading: 'took', cell: formatTook, min: 4, align: 'right', leaveOut: 2 },
    { heading: 'msgs', cell: ({ messages }) => String(messages.length), min: 4, align: 'right', leaveOut: 3 },
    {
      heading: 'status',
      cell: formatStatus,
      min: 8,
      style: cell =>
        typeof cell === 'string' && toUnansweredStatus(cell) !== undefined ? yellow(cell) : cell,
    },
    { heading: 'success', cell: formatSuccess, min: 7, leaveOut: 4 },
  ]
}

/** The status `finished` does not tell why a call was unanswered. */
function formatStatus(call: CallTranscript): string {
  const { statuses, ended } = call
  const { status, phoneCallStatus } = statuses.at(-1) ?? {}
  return getUnansweredStatus(call) === undefined
    ? (status ?? (ended ? 'ended' : '–'))
    : (phoneCallStatus ?? status ?? '')
}

function formatUser({ direction, userNumber }: CallTranscript): string {
  return `${getDirectionArrow(direction)} ${userNumber ?? '?'}`
}

export function getCallTimes(call: CallTranscript): CallTimes {
  return { ...call, firstAt: Date.parse(call.firstAt), lastAt: Date.parse(call.lastAt) }
}

function formatTook(call: CallTranscript): string {
  return call.ended ? duration(getCallDuration(getCallTimes(call))) : ''
}
