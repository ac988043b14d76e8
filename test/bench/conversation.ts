import { createSummaryCounter } from '../../src/webhook/conversation/summary-counter.ts'
import { readEvent } from '../../src/webhook/receive/read-event.ts'
import { median } from './median.ts'
import type { Row } from './run.ts'

const messages = 1000
const rounds = 5

/** Many calls at once whose updates name them, and the same that do not: telling them apart against knowing them. */
export function benchCallsWithoutId(): Row[] {
  const take = (bodies: readonly string[]) => {
    const tally = createSummaryCounter()
    for (const body of bodies) tally.take(readEvent(JSON.parse(body)))
  }
  const [named, unnamed] = [true, false].map(updatesAtOnce)
  const times = Array.from({ length: rounds }, () =>
    [named, unnamed].map(bodies => timeOf(() => take(bodies ?? []))),
  )
  const of = (place: number) => median(times.map(pair => pair[place] ?? Number.NaN))
  return [
    {
      what: `${callsAtOnce} calls at once without ids, 50 updates each`,
      ratio: of(1) / of(0),
      target: '≤ 3',
      detail: `${of(1).toFixed(0)} ms; with ids: ${of(0).toFixed(0)} ms`,
    },
  ]
}

const callsAtOnce = 200

function updatesAtOnce(isNamed: boolean): string[] {
  const said = Array.from({ length: callsAtOnce }, (): unknown[] => [])
  return Array.from({ length: 50 }, (_, turn) =>
    said.map((messages, call) => {
      const role = turn % 2 === 0 ? 'assistant' : 'user'
      const text =
        turn === 0 ? 'Front desk, hello.' : `${(call * 7919 + turn * 104_729).toString(36).repeat(4)} ${turn}`
      messages.push({ messageId: `${role}-${turn}`, role, text })
      const named = isNamed ? { call: { id: `CC-${call}` } } : {}
      return JSON.stringify({ message: { type: 'conversation-update', ...named, messages } })
    }),
  ).flat()
}

/** A call of a thousand messages, sent as a thousand growing updates: reading them against parsing them alone. */
export function benchConversation(): Row[] {
  const bodies = updates()
  const parse = () => {
    for (const body of bodies) JSON.parse(body)
  }
  const read = () => {
    const tally = createSummaryCounter()
    for (const body of bodies) tally.take(readEvent(JSON.parse(body)))
  }
  parse()
  read()
  const parsed: number[] = []
  const taken: number[] = []
  for (let round = 0; round < rounds; round++) {
    parsed.push(timeOf(parse))
    taken.push(timeOf(read))
  }
  return [
    {
      what: `a call of ${messages} messages in ${messages} growing updates`,
      ratio: median(taken.map((time, round) => time / (parsed[round] ?? Number.NaN))),
      target: '≤ 1.4',
      detail: `${median(taken).toFixed(0)} ms; parsing alone: ${median(parsed).toFixed(0)} ms`,
    },
  ]
}

function updates(): string[] {
  const said: unknown[] = []
  return Array.from({ length: messages }, (_, index) => {
    said.push({
      messageId: `5b2c6f8e-7a53-4d0c-9d5e-${String(index).padStart(12, '0')}`,
      role: index % 2 === 0 ? 'assistant' : 'user',
      text: `We are open on Saturday from nine to one; shall I book you in for ${index}?`,
      timestamp: '2026-03-01T10:00:00.000Z',
    })
    return JSON.stringify({
      message: { type: 'conversation-update', call: { id: 'CC-1', status: 'ongoing' }, messages: said },
    })
  })
}

function timeOf(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}
