import { callOutcomes } from '../../interface/words.ts'
import { duration, localDate, localDateTime, timeOfDay } from '../../lib/text/date-time.ts'
import { shortIds } from '../../lib/text/did-you-mean.ts'
import { type TableColumn, table, wholeWidth } from '../../lib/text/table.ts'
import { bold, type Text, yellow } from '../../lib/text/text.ts'
import { type CallTranscript, callName } from '../conversation/index.ts'
import { getOutcome, isUnanswered, type OutcomeWords } from '../conversation/read-outcome.ts'
import { formatSuccess, getCallDuration, getCallStart, getDirectionArrow } from './call-words.ts'

/** Formats calls as a table. Wide terminals also show the assistant's number; narrow ones omit a date that all calls share. */
export function callTable(calls: readonly CallTranscript[], width: number, words?: OutcomeWords): Text {
  const both = {
    heading: 'numbers',
    cell: (call: CallTranscript) => `${call.assistantNumber ?? '?'} ${formatUser(call)}`,
  }
  // Calls differ in the user's number.
  const user = { heading: 'number', cell: formatUser }
  const isOneDay = new Set(calls.map(call => localDate(getCallStart(call)))).size <= 1
  const columnsWith = (started: Cell, who: typeof user) => createColumns(calls, started, who, words)
  const wide = [columnsWith(dateAndTime, both), columnsWith(dateAndTime, user)]
  const narrow = columnsWith(isOneDay ? time : dateAndTime, user)
  return table(calls, wide.find(columns => wholeWidth(calls, columns) <= width) ?? narrow, width)
}

type Cell = TableColumn<CallTranscript>['cell']

const time: Cell = call => timeOfDay(getCallStart(call))
const dateAndTime: Cell = call => localDateTime(getCallStart(call))

function createColumns(
  calls: readonly CallTranscript[],
  started: Cell,
  who: { readonly heading: string; readonly cell: Cell },
  words: OutcomeWords | undefined,
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
      cell: call => getOutcome(call, words) ?? call.statuses.at(-1)?.status ?? '–',
      min: 8,
      style: cell => (isFine(cell) ? cell : yellow(cell)),
    },
    { heading: 'success', cell: ({ analysis }) => formatSuccess(analysis), min: 7, leaveOut: 4 },
  ]
}

/** True unless it is the outcome of a call that nobody picked up. */
function isFine(cell: Text): boolean {
  return !callOutcomes.some(outcome => outcome === cell && isUnanswered(outcome))
}

function formatUser({ direction, userNumber }: CallTranscript): string {
  return `${getDirectionArrow(direction)} ${userNumber ?? '?'}`
}

function formatTook(call: CallTranscript): string {
  const took = getCallDuration(call)
  return took === null ? '' : duration(took)
}
