import { foldWord } from '../../interface/words.ts'
import { digest } from '../../lib/hash.ts'
import { isObject, printable } from '../../lib/json.ts'
import type { CallOrigin, StatusChange } from './changes.ts'
import { type Conversation, type ConversationStep, entryBytes } from './conversation-cache.ts'
import { hasPayload } from './read/event-kinds.ts'
import { isEndingWord, liveStatuses, readFact, readTextValue, sameEnding } from './read/event-values.ts'
import type { ReadEvent } from './read/read-event.ts'

const statusFacts = [
  'phoneCallStatus',
  'callType',
  'direction',
  'userNumber',
  'assistantNumber',
  'startAt',
  'endAt',
  'callEndTriggerBy',
] as const

/** Longer keys are hashed. */
const maxKeyLength = 64

/** Identifies a value in the memory of a call. Most are short, and a hash of each costs more than the rest of a status. */
function shortKey(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > maxKeyLength ? digest(text) : text
}

/**
 * Applies the status and the analysis of an event to a call: each is shown once, and a status never goes back; pure. Only a status-update
 * changes the status. Events of other types contain the call at the time of sending, and only report that it has ended.
 */
export function addStatus(before: Conversation, event: ReadEvent, origin: CallOrigin): ConversationStep {
  const { type, call, ended } = event
  const isUpdate = hasPayload(type, 'status')
  const status = wordOf(event)
  const position = ended ? liveStatuses.length : liveStatuses.indexOf(foldWord(status))
  const isLate = isUpdate && position !== -1 && position < before.progress

  // A phone status of its own (`ringing`) is news under the same call status.
  const isStrange = ended && !isEndingWord(status)
  const parts = [status, readTextValue(call.phoneCallStatus), isStrange]
  const statusKey = `status ${shortKey(parts)}`
  const wordKey = `word ${sameEnding(foldWord(status))}`
  const isNews = isUpdate
    ? (event.status !== undefined || ended) && !isLate && !before.shownKeys.has(statusKey)
    : ended && !before.shownKeys.has(wordKey)

  const analysis = analysisOf(event)
  const analysisKey = analysis === undefined ? '' : `analysis ${shortKey(analysis)}`
  const newAnalysis = before.shownKeys.has(analysisKey) ? undefined : analysis

  const late = isLate ? 1 : 0
  const repeats = isLate || isNews || newAnalysis !== undefined || event.messages !== undefined ? 0 : 1
  // An event that ends the call and is not news has ended it before.
  if (!isNews && newAnalysis === undefined) return { conversation: before, changes: [], repeats, late }

  const shownKeys = new Set(before.shownKeys)
  if (isNews) shownKeys.add(statusKey).add(wordKey)
  if (newAnalysis !== undefined) shownKeys.add(analysisKey)
  const conversation = {
    ...before,
    shownKeys,
    status: isNews ? status : before.status,
    progress: isNews ? Math.max(before.progress, position) : before.progress,
    ended: before.ended || ended,
    bytes: before.bytes + (shownKeys.size - before.shownKeys.size) * entryBytes,
  }
  const change: StatusChange = {
    kind: 'status',
    ...origin,
    ...(isUpdate ? {} : { type }),
    status: isNews ? status : (before.status ?? event.status ?? 'unknown'),
    ...(isNews && ended ? { ended: true as const } : {}),
    ...factsOf(event),
    ...(newAnalysis && { analysis: newAnalysis }),
  }
  return { conversation, changes: [change], repeats, late }
}

/** The event's own word if it is meaningful; the interface's word for an end without one. */
function wordOf({ type, status }: ReadEvent): string {
  const isOwn = hasPayload(type, 'status') || isEndingWord(status)
  return (isOwn ? status : undefined) ?? 'finished'
}

function factsOf({ call }: ReadEvent): Partial<Record<(typeof statusFacts)[number], string>> {
  return Object.fromEntries(
    statusFacts.flatMap(name => {
      const value = readFact(call, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Wraps a value that is not an object under its own name. */
function analysisOf({ analysis }: ReadEvent): Readonly<Record<string, unknown>> | undefined {
  if (analysis === undefined) return undefined
  const fields = isObject(analysis) ? analysis : { analysis }
  const entries = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(entries.map(([key, value]) => [key, printable(value)]))
}
