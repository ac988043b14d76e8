import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change, StatusChange } from '../../../src/events/conversation/index.ts'
import {
  createTranscriptPrinter,
  loadTerminal,
  renderTailEvent,
} from '../../../src/events/transcript/index.ts'
import { paint } from '../../../src/lib/text/text.ts'
import { attributeLines } from '../../helpers/attribute-lines.ts'
import { runs } from '../../helpers/every-case.ts'

const { skipEvent } = await loadTerminal()

type Call = { readonly callId: string } | { readonly callId: null; readonly conversation: number }

const uuid = '-0000-4000-8000-000000000001'
/** Ids that share prefixes, are whole in their short form, or are missing. */
const calls: readonly Call[] = [
  { callId: `CC-7d3f2c1e${uuid}` },
  { callId: `CC-7d3f2c1e-5${uuid}` },
  { callId: `CC-8d3f2c9e${uuid}` },
  { callId: `7d3f2c1e${uuid}` },
  { callId: 'order-4711' },
  { callId: 'order-4711-second' },
  { callId: `${'x'.repeat(150)}1` },
  { callId: `${'x'.repeat(150)}2` },
  { callId: null, conversation: 1 },
  { callId: null, conversation: 2 },
]

const step = fc.record({
  call: fc.nat({ max: calls.length - 1 }),
  kind: fc.constantFrom('begin', 'speak', 'speak', 'speak', 'end', 'ended'),
  isHidden: fc.boolean(),
})

test('every line identifies its call, for any interleaving of calls', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const view = createTranscriptPrinter(200)
      const expected: { call: Call; words: string }[] = []
      let printed = ''
      for (const [index, { call, kind, isHidden }] of steps.entries()) {
        const origin = calls[call] ?? { callId: null, conversation: 3 }
        const event = eventOf(kind, origin, index)
        if (event === undefined) skipEvent({ kind: 'ended', type: 'status-update', ...origin }, view)
        // Statuses can be filtered out.
        else if (isHidden && event.kind === 'status') skipEvent(event, view)
        else {
          printed += `${paint(renderTailEvent(event, view) ?? '', { color: false })}\n`
          expected.push({
            call: origin,
            words: event.kind === 'status' ? `· ${event.status}` : `user       line ${index}`,
          })
        }
      }
      // Lines that only name a call are beside the events.
      const lines = attributeLines(printed).filter(
        ({ words }) =>
          !/^(?:continues|\(call without id\)|)$/.test(words) &&
          !/^\(call without id\) continues$/.test(words),
      )
      expect(lines.map(({ words }) => words.replace('(call without id) ', ''))).toEqual(
        expected.map(({ words }) => words),
      )
      const named = new Map<string | undefined, Call>()
      for (const [index, { call }] of expected.entries()) {
        const shown = lines[index]?.call
        const known = named.get(shown)
        if (known === undefined) expect(isNameOf(shown, call)).toBe(true)
        else expect(known).toBe(call)
        named.set(shown, call)
      }
    }),
    { numRuns: runs(1000) },
  )
})

function eventOf(kind: string, origin: Call, index: number): Change | undefined {
  if (kind === 'ended') return undefined
  if (kind === 'speak') {
    return {
      kind: 'message',
      ...origin,
      messageId: `m${index}`,
      role: 'user',
      text: `line ${index}`,
      timestamp: undefined,
    }
  }
  const status: StatusChange = {
    kind: 'status',
    ...origin,
    status: kind === 'begin' ? 'ongoing' : 'finished',
  }
  return kind === 'begin' ? status : { ...status, ended: true }
}

/** Accepted by `--call`; ids that share 100 characters are hashed instead. */
function isNameOf(shown: string | undefined, call: Call): boolean {
  if (shown === undefined) return false
  if (call.callId === null) return shown === `-${call.conversation}`
  return call.callId.startsWith(shown) || call.callId.length > 100
}
