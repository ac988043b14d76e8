import type { CallsReport } from '../../../calls/report/document/index.ts'
import { type CallFacts, medianOf } from '../../../calls/report/index.ts'
import { csvDocument } from '../../../lib/text/csv.ts'

type Cell = string | number | boolean | null | undefined

/** Formats one row per call, with a column for each field of the structured data. */
export function reportCsv(calls: readonly CallFacts[], problems: CallsReport['problems']): string {
  const problemsOf = new Map(problems.map(({ call, problems: callProblems }) => [call, callProblems]))
  const fields = [...new Set(calls.flatMap(({ data }) => Object.keys(data)))].sort()
  const columns = callColumns(call => problemsOf.get(call)?.join('; ') ?? '')
  return csvDocument([
    [...Object.keys(columns), ...fields.map(field => `data.${field}`)],
    ...calls.map(call => [
      ...Object.values(columns).map(cell => toText(cell(call))),
      ...fields.map(field => (Object.hasOwn(call.data, field) ? (call.data[field] ?? []).join('; ') : '')),
    ]),
  ])
}

function toText(cell: Cell): string {
  if (typeof cell === 'number') return String(Math.round(cell * 1000) / 1000)
  return cell === null || cell === undefined ? '' : String(cell)
}

function callColumns(problemsOf: (call: CallFacts) => string): Record<string, (call: CallFacts) => Cell> {
  return {
    call: ({ call }) => call,
    at: ({ at }) => new Date(at).toISOString(),
    assistant: ({ assistant }) => assistant,
    from: ({ from }) => from,
    to: ({ to }) => to,
    outcome: ({ outcome }) => outcome,
    ended_by: ({ endedBy }) => endedBy,
    duration_seconds: ({ durationMs }) => toSeconds(durationMs),
    messages: ({ messages }) => messages,
    first_word_seconds: call => toSeconds(call.firstWordMs),
    replies: ({ talk, replies }) => (talk === null ? null : replies.length),
    reply_p50_seconds: ({ replies }) => toSeconds(medianOf(replies)),
    reply_max_seconds: ({ replies }) => toSeconds(maxOf(replies)),
    answers: ({ answers }) => answers?.length,
    answer_p50_seconds: ({ answers }) => toSeconds(medianOf(answers ?? [])),
    answer_max_seconds: ({ answers }) => toSeconds(maxOf(answers ?? [])),
    silences: ({ silences }) => silences?.length,
    longest_silence_seconds: ({ silences }) => toSeconds(maxOf(silences ?? [])),
    interruptions: ({ interruptions }) => interruptions,
    assistant_talk_seconds: ({ talk }) => toSeconds(talk?.assistantMs),
    user_talk_seconds: ({ talk }) => toSeconds(talk?.userMs),
    assistant_words: ({ words }) => words?.assistant,
    user_words: ({ words }) => words?.user,
    tool_calls: ({ messages, tools }) => (messages === null ? null : tools.length),
    tools_failed: ({ messages, tools }) =>
      messages === null ? null : tools.filter(({ isFailed }) => isFailed).length,
    success: ({ success }) => success?.passed,
    score: ({ success }) => success?.score,
    unanswered: ({ unanswered }) => unanswered?.map(({ text }) => text).join('; '),
    repeated: ({ repeated }) => repeated?.join('; '),
    transferred: ({ isTransferred }) => isTransferred,
    opted_out: ({ isOptedOut }) => isOptedOut,
    problems: problemsOf,
  }
}

function maxOf(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>((most, value) => Math.max(most ?? value, value), undefined)
}

function toSeconds(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1000
}
