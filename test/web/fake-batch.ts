import type { BatchFeed, BatchPause, BatchRow, BatchSummary } from '../../src/web/index.ts'

type BatchAttempt = BatchRow['attempts'][number]
type BatchRowQuery = Parameters<BatchFeed['rows']>[0]
type LiveBatchCall = BatchSummary['live'][number]
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** A batch that a test changes by hand. */
export interface FakeBatch extends BatchFeed {
  readonly people: Map<string, Mutable<BatchRow>>
  live: LiveBatchCall[]
  pause: BatchPause | null
  readonly facts: Mutable<Pick<BatchSummary, 'name' | 'service' | 'assistant' | 'isSandbox' | 'remainingMs'>>
  /** Queries that were read, in order. */
  readonly queries: BatchRowQuery[]
  /** Number of summaries that were read. */
  readonly summaries: number
  readonly subscribers: number
  /** Adds a person, or replaces one. */
  put(row: Partial<BatchRow> & Pick<BatchRow, 'id'>): void
  /** Reports a change to the page. */
  changed(): void
}

/** Time at which the batch began, in milliseconds since the epoch. */
export const begunAt = Date.UTC(2026, 2, 2, 9)

export function fakeAttempt(more: Partial<BatchAttempt> = {}): BatchAttempt {
  return {
    at: begunAt,
    number: '+12025550110',
    from: '+12025550100',
    kind: 'first',
    call: 'CC-7d3f2c1e-0000-4000-8000-000000000001',
    outcome: 'answered',
    seconds: 42,
    endedBy: 'user',
    reason: null,
    summary: null,
    ...more,
  }
}

export function fakeLiveCall(person: string, more: Partial<LiveBatchCall> = {}): LiveBatchCall {
  return {
    person,
    number: '+12025550111',
    from: '+12025550100',
    call: `CC-${person}`,
    phase: 'talking',
    startedAt: begunAt,
    last: { role: 'assistant', text: 'Hello, how can I help?' },
    ...more,
  }
}

const open = new Set(['due', 'calling', 'retry'])

export function createFakeBatch(): FakeBatch {
  const people = new Map<string, Mutable<BatchRow>>()
  const listeners = new Set<() => void>()
  let version = 1
  let summaries = 0
  const batch: FakeBatch = {
    people,
    live: [],
    pause: null,
    facts: {
      name: 'reminders',
      service: 'http://127.0.0.1:4010',
      assistant: 'assistants/reminder.yaml',
      isSandbox: true,
      remainingMs: null,
    },
    queries: [],
    get summaries() {
      return summaries
    },
    get subscribers() {
      return listeners.size
    },
    put(row) {
      const previous = people.get(row.id)
      people.set(row.id, {
        numbers: [`+1202555${String(people.size % 10_000).padStart(4, '0')}`],
        status: 'due',
        nextAt: null,
        attempts: [],
        ...previous,
        ...row,
      })
    },
    changed() {
      version += 1
      for (const listener of listeners) listener()
    },
    summary() {
      summaries += 1
      const counts = new Map<string, number>()
      let calls = 0
      let seconds = 0
      let done = 0
      for (const { status, attempts } of people.values()) {
        counts.set(status, (counts.get(status) ?? 0) + 1)
        calls += attempts.length
        for (const attempt of attempts) seconds += attempt.seconds ?? 0
        if (!open.has(status)) done += 1
      }
      return {
        ...batch.facts,
        people: people.size,
        counts: [...counts].map(([status, number]) => ({ status, people: number })),
        done,
        calls,
        seconds,
        live: batch.live,
        pause: batch.pause,
        version,
      }
    },
    rows(query) {
      batch.queries.push(query)
      const { status, search, from, limit } = query
      const matching = [...people.values()].filter(
        row =>
          (status === undefined || row.status === status) &&
          (search === undefined || [row.id, ...row.numbers].some(text => text.includes(search))),
      )
      return { total: matching.length, rows: matching.slice(from, from + limit) }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return batch
}

/** Fills a batch with people in every state. */
export function fillBatch(batch: FakeBatch): void {
  batch.put({
    id: '1001',
    status: 'answered',
    attempts: [
      fakeAttempt({ outcome: 'no-answer', seconds: null, endedBy: null, reason: 'The phone rang for 45 s.' }),
      fakeAttempt({
        at: begunAt + 3_600_000,
        kind: 'retry',
        seconds: 83,
        summary: 'Ada confirmed the appointment on Monday at nine and asked for a reminder by text message.',
      }),
    ],
  })
  const outcomes = ['answered', 'answered', 'busy', 'no-answer', 'failed', 'rejected', 'unknown', 'voicemail']
  for (const [index, status] of outcomes.entries())
    batch.put({
      id: String(1002 + index),
      status,
      attempts: [fakeAttempt({ outcome: status, seconds: status === 'answered' ? 61 : null })],
    })
  batch.put({
    id: '1010',
    status: 'retry',
    nextAt: begunAt + 86_400_000,
    attempts: [fakeAttempt({ outcome: 'busy' })],
  })
  batch.put({ id: '1011', status: 'calling', numbers: ['+12025550111', '+12025550112'] })
  batch.put({ id: '1012', status: 'calling' })
  batch.put({ id: 'مريم', status: 'due', numbers: ['+12025550143'] })
  batch.put({ id: `long-${'x'.repeat(120)}`, status: 'due' })
  for (let number = 1013; number < 1040; number += 1) batch.put({ id: String(number) })
  batch.live = [
    fakeLiveCall('1011', {
      last: {
        role: 'assistant',
        text: 'I can move your appointment to Wednesday at ten, would that suit you better?',
      },
    }),
    fakeLiveCall('1012', { phase: 'ringing', last: null, number: '+12025550119' }),
  ]
  batch.facts.remainingMs = 12 * 60_000
}
