import type { BatchAttempt, BatchRow, BatchSummary, LiveBatchCall } from '../batch-wire.ts'
import { shorten } from '../shorten.ts'
import type { ShownBatch } from '../wire.ts'

/** Limits what a page receives of a batch: calls in progress, and the length of every text. */
export function toShownBatch(summary: BatchSummary): ShownBatch {
  const { name, service, assistant, pause, live } = summary
  return {
    ...summary,
    name: shorten(name, maxFactLength),
    service: shorten(service, maxFactLength),
    assistant: shorten(assistant, maxFactLength),
    pause: pause && { ...pause, text: shorten(pause.text, maxTextLength) },
    live: live.slice(0, maxLiveCalls).map(shortenCall),
    liveTotal: live.length,
  }
}

function shortenCall({ person, number, from, call, last, ...rest }: LiveBatchCall): LiveBatchCall {
  return {
    ...rest,
    person: shorten(person, maxFactLength),
    number: shorten(number, maxFactLength),
    from: shorten(from, maxFactLength),
    call: clip(call, maxFactLength),
    last: last && { role: shorten(last.role, 40), text: shorten(last.text, 160) },
  }
}

/** Limits what a page receives of a person. The last attempts are kept. */
export function toShownRow(row: BatchRow): BatchRow {
  return {
    ...row,
    id: shorten(row.id, maxFactLength),
    numbers: row.numbers.slice(0, maxNumbers).map(number => shorten(number, maxFactLength)),
    attempts: row.attempts.slice(-maxAttempts).map(shortenAttempt),
  }
}

function shortenAttempt(attempt: BatchAttempt): BatchAttempt {
  const { number, from, outcome, call, endedBy, reason, summary } = attempt
  return {
    ...attempt,
    number: shorten(number, maxFactLength),
    from: shorten(from, maxFactLength),
    outcome: shorten(outcome, maxFactLength),
    call: clip(call, maxFactLength),
    endedBy: clip(endedBy, maxFactLength),
    reason: clip(reason, maxTextLength),
    summary: clip(summary, maxTextLength),
  }
}

function clip(text: string | null, longest: number): string | null {
  return text === null ? null : shorten(text, longest)
}

const maxLiveCalls = 200
const maxNumbers = 20
const maxAttempts = 100
/** Characters. */
const maxFactLength = 200
const maxTextLength = 2000
