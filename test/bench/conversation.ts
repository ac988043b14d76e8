import { createConversationTracker } from '../../src/events/conversation/index.ts'
import { createBodyReader } from '../../src/events/conversation/read/body-reader.ts'
import { interleaved, median, medianRatio, timeOf } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

const messages = 1000
const callsAtOnce = 200

/**
 * A call of a thousand messages, sent as a thousand growing updates: reading them against parsing them alone. And many
 * calls at once whose updates do not name them, against the same that do.
 */
export const conversationBench = defineBench({
  name: 'conversation',
  rows: {
    growing: {
      work: `${messages} growing updates of one call, against parsing each`,
      unit: 'times',
      floor: '0.03: compare what both begin with, parse the rest',
      goal: atMost(0.15),
    },
    unnamed: {
      work: `${callsAtOnce} calls at once without ids, 50 updates each, against the same with ids`,
      unit: 'times',
      goal: atMost(3),
    },
  },
  async measure({ rounds }) {
    const bodies = updates()
    const [named, unnamed] = [updatesAtOnce(true), updatesAtOnce(false)]
    const works = {
      parse: () => timeOf(() => parseEach(bodies)),
      growing: () => timeOf(() => take(bodies)),
      named: () => timeOf(() => take(named)),
      unnamed: () => timeOf(() => take(unnamed)),
    }
    await interleaved(1, works)
    const times = await interleaved(rounds(5), works)
    return {
      growing: {
        value: medianRatio(times.growing, times.parse),
        detail: `${median(times.growing).toFixed(0)} ms; parsing alone: ${median(times.parse).toFixed(0)} ms`,
      },
      unnamed: {
        value: medianRatio(times.unnamed, times.named),
        detail: `${median(times.unnamed).toFixed(0)} ms; with ids: ${median(times.named).toFixed(0)} ms`,
      },
    }
  },
})

/** Keeps none of what it parses. */
function parseEach(bodies: readonly Buffer[]): void {
  for (const body of bodies) JSON.parse(body.toString('utf8'))
}

function take(bodies: readonly Buffer[]): void {
  const reader = createBodyReader()
  const counter = createConversationTracker()
  for (const body of bodies) {
    const event = reader.read(body)
    if (typeof event === 'string') throw new Error(event)
    counter.apply(event)
  }
}

function updatesAtOnce(isNamed: boolean): Buffer[] {
  const said = Array.from({ length: callsAtOnce }, (): unknown[] => [])
  return Array.from({ length: 50 }, (_, turn) =>
    said.map((messages, call) => {
      const role = turn % 2 === 0 ? 'assistant' : 'user'
      const text =
        turn === 0 ? 'Front desk, hello.' : `${(call * 7919 + turn * 104_729).toString(36).repeat(4)} ${turn}`
      messages.push({ messageId: `${role}-${turn}`, role, text })
      const named = isNamed ? { call: { id: `CC-${call}` } } : {}
      return Buffer.from(JSON.stringify({ message: { type: 'conversation-update', ...named, messages } }))
    }),
  ).flat()
}

function updates(): Buffer[] {
  const said: unknown[] = []
  return Array.from({ length: messages }, (_, index) => {
    said.push({
      messageId: `5b2c6f8e-7a53-4d0c-9d5e-${String(index).padStart(12, '0')}`,
      role: index % 2 === 0 ? 'assistant' : 'user',
      text: `We are open on Saturday from nine to one; shall I book you in for ${index}?`,
      timestamp: '2026-03-01T10:00:00.000Z',
    })
    const call = { id: 'CC-1', status: 'ongoing' }
    return Buffer.from(JSON.stringify({ message: { type: 'conversation-update', call, messages: said } }))
  })
}
