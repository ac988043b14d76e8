import type { BatchFile } from '../../../files/formats/batch.ts'
import { isObject } from '../../../lib/json.ts'
import { readDateTime } from '../../../lib/text/date-time.ts'
import { type CallUpdate, readField } from '../../outcomes/index.ts'
import type { BatchStep, CallAttempt } from '../state.ts'
import { readMoment } from '../window.ts'

type EndedStep = Extract<BatchStep, { step: 'ended' }>
export type Ended = Omit<EndedStep, 'step' | 'at' | 'attempt'>

/**
 * Returns what the journal records of the end of a call; undefined if that is there already. An analysis that is known stays: recorded
 * events are read again by each run.
 */
export function readEnd(
  { ended, at: endedAt }: CallUpdate,
  { callback }: BatchFile,
  zone: string,
  before: CallAttempt,
): Ended | undefined {
  if (ended === undefined) return undefined
  const { outcome, seconds, endedBy, analysis } = ended
  const field = typeof callback === 'string' ? callback : callback?.field
  const callbackValue = field === undefined ? undefined : readField(analysis, field)
  const at =
    callbackValue === undefined || callbackValue === null || callbackValue === ''
      ? undefined
      : readCallback(callbackValue, zone)
  const isPast = typeof at === 'number' && at < endedAt - maxPastMs
  const end: Ended = {
    outcome,
    seconds,
    endedBy,
    reason:
      at === 'invalid' || isPast
        ? `${field} is ${isPast ? 'in the past' : 'not a time'}: ${JSON.stringify(callbackValue)}`
        : null,
    analysis: analysis === null ? null : readAnalysis(analysis),
    callbackAt: at === undefined || at === 'invalid' || isPast ? null : new Date(at).toISOString(),
  }
  if (before.analysis !== null && end.analysis === null) return undefined
  const isKnown = Object.entries(end).every(
    ([name, value]) => JSON.stringify(before[name as keyof Ended]) === JSON.stringify(value),
  )
  return isKnown ? undefined : end
}

/** A callback that was asked for earlier is a mistake of the analysis, such as a wrong year; "now" is not. */
const maxPastMs = 86_400_000

/** Reads an analysis (interface.md 2.9). */
function readAnalysis(analysis: Readonly<Record<string, unknown>>): EndedStep['analysis'] {
  const { summary, successEvaluation, structuredData } = analysis
  const toText = (value: unknown) =>
    typeof value === 'string' ? value : value === undefined || value === null ? null : JSON.stringify(value)
  const read = {
    summary: toText(summary),
    success: toText(successEvaluation),
    structuredData: isObject(structuredData) ? { ...structuredData } : null,
  }
  return read.summary === null && read.success === null && read.structuredData === null ? null : read
}

/** Reads when a person wants to be called: with an offset, or by the clock of the time zone. Returns milliseconds since the epoch. */
function readCallback(callbackValue: unknown, zone: string): number | 'invalid' {
  if (typeof callbackValue !== 'string') return 'invalid'
  const text = callbackValue.trim()
  const at = readDateTime(text)
  if (at !== undefined) return at
  try {
    return readMoment(`${text}[${zone}]`)
  } catch {
    return 'invalid'
  }
}
