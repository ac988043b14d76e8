import type { OutcomeWords } from '../../events/conversation/read-outcome.ts'
import { maxFactLength, maxTextLength, shorten } from '../shorten.ts'
import { clip, describeTranscript, summarizeTranscript } from '../shown-transcript.ts'
import type { Batch, CallDetail, CallSummary, PageMessage, ShownRules } from '../wire.ts'
import type { CallStore } from './call-store.ts'
import type { PageCall } from './page-call.ts'

/** Position of one page in the stream of changes. */
export interface Cursor {
  /** The list is known up to here; undefined for a page that knows nothing. */
  readonly version: number | undefined
  readonly selected: SelectedCursor | undefined
  /** Version of the rules that the page shows. */
  readonly rules?: number | undefined
}

/** Rules of a guard as they are now. */
export interface CurrentRules {
  /** Changes whenever they do. */
  readonly version: number
  show(): ShownRules
}

interface SelectedCursor {
  readonly key: number
  /** undefined where the page has nothing of the call. */
  readonly version: number | undefined
  readonly statuses: number
  readonly events: number
}

/** Nothing of this call is known. */
export function selection(key: number): SelectedCursor {
  return { key, version: undefined, statuses: 0, events: 0 }
}

/**
 * Returns the changes that a page lacks, computed from the current state: however long a page could not be written to, one batch brings
 * it up to date, and nothing is buffered for it. Undefined if it is up to date.
 */
export function nextBatch(
  store: CallStore,
  cursor: Cursor,
  {
    rules,
    words,
  }: { readonly rules?: CurrentRules | undefined; readonly words?: OutcomeWords | undefined } = {},
): { readonly batch: Batch; readonly cursor: Cursor } | undefined {
  const { version } = store
  const { selected } = cursor
  const hasNewRules = rules?.version !== cursor.rules
  const hasSelected = selected === undefined || selected.version !== undefined
  if (cursor.version === version && hasSelected && !hasNewRules) return undefined
  const droppedKeys = cursor.version === undefined ? undefined : store.droppedSince(cursor.version)
  const since = droppedKeys === undefined ? -1 : (cursor.version ?? -1)
  const calls: CallSummary[] = []
  for (const call of store.calls()) if (call.version > since) calls.push(summaryOf(call, words))
  const call = selected && store.get(selected.key)
  return {
    batch: {
      version,
      whole: droppedKeys === undefined,
      calls: calls.sort((one, other) => one.key - other.key),
      gone: droppedKeys ?? [],
      dropped: store.dropped,
      selectionGone: selected !== undefined && call === undefined,
      rules: hasNewRules ? rules?.show() : undefined,
      detail: call && call.version !== selected?.version ? detailOf(call, selected, words) : undefined,
    },
    cursor: {
      version,
      rules: rules?.version,
      selected: call && {
        key: call.key,
        version: call.version,
        statuses: call.builder.call.statuses.length,
        events: call.taken,
      },
    },
  }
}

function summaryOf(call: PageCall, words: OutcomeWords | undefined): CallSummary {
  const { key, builder, taken: events, failedDeliveries, firstAt, lastAt } = call
  return { ...summarizeTranscript(builder.call, words), key, events, failedDeliveries, firstAt, lastAt }
}

function detailOf(
  call: PageCall,
  { version = -1, statuses, events }: SelectedCursor,
  words: OutcomeWords | undefined,
): CallDetail {
  const transcript = call.builder.call
  const rawEvents = call.events
  const messages: PageMessage[] = []
  for (const [index, { messageId, role, text, timestamp, edited }] of transcript.messages.entries()) {
    if (call.messageVersion(index) <= version) continue
    const shortText = shorten(text, maxTextLength)
    messages.push({
      index,
      messageId: clip(messageId),
      role: shorten(role, maxFactLength),
      text: shortText,
      cut: text.length - shortText.length,
      timestamp: clip(timestamp),
      edited,
    })
  }
  return {
    key: call.key,
    whole: version === -1,
    facts: describeTranscript(transcript, words),
    messages,
    missing: call.missing,
    malformed: transcript.malformedItems,
    statuses: transcript.statuses.slice(statuses).map(({ status, phoneCallStatus, at }) => ({
      status: shorten(status, maxFactLength),
      phoneCallStatus: clip(phoneCallStatus),
      at,
    })),
    analysis: call.analysisVersion > version ? (transcript.analysis ?? undefined) : undefined,
    events: rawEvents
      .filter(({ number }) => number > events)
      .map(({ body, forwarding: { deliveries }, ...event }) => ({
        ...event,
        bytes: body.length,
        deliveries,
      })),
    deliveries: rawEvents
      .filter(({ number, forwarding }) => number <= events && forwarding.version > version)
      .map(({ number, forwarding: { deliveries } }) => ({ number, deliveries })),
    firstEvent: rawEvents[0]?.number ?? call.taken + 1,
  }
}
