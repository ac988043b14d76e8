import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCallNames } from '../../../src/events/transcript/call-names.ts'
import { shortId } from '../../../src/lib/text/did-you-mean.ts'

/** Ids that share prefixes, some of them whole in their short form. */
const id = fc
  .tuple(
    fc.constantFrom('CC-', 'conversation_01h'),
    fc.string({ unit: fc.constantFrom('1', '2'), maxLength: 4 }),
    fc.constantFrom('', '-second-try', '-0000-4000-8000-000000000001'),
  )
  .map(parts => parts.join(''))

test('a short id is the shortest prefix that no earlier call has', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id), ids => {
      const names = createCallNames()
      for (const [index, callId] of ids.entries())
        expect(names.nameOf({ callId }).shortId).toBe(shortId(callId, ids.slice(0, index)))
    }),
  )
})

test('calls are live from their first event to their end, and never again', () => {
  const names = createCallNames()
  names.nameOf({ callId: 'CC-1' })
  names.nameOf({ callId: null, conversation: 1 })
  names.nameOf({ callId: null })
  expect(names.live).toBe(2)
  names.end({ callId: 'CC-1' })
  names.end({ callId: 'CC-1' })
  names.end({ callId: 'CC-2' })
  expect(names.live).toBe(1)
  names.nameOf({ callId: 'CC-1' })
  expect(names.live).toBe(1)
})

/** Characters that are read of all ids that are remembered, while the call after `calls` others is shown. */
function readsAt(calls: number): number {
  let reads = 0
  const names = createCallNames()
  const idOf = (call: number) => `CC-${String(call).padStart(8, '0')}-0000-4000-8000-000000000001`
  for (let call = 0; call < calls; call++) names.nameOf({ callId: idOf(call) })
  const { startsWith, endsWith, charCodeAt } = String.prototype
  const counted = <Arguments extends unknown[], Result>(method: (...given: Arguments) => Result) =>
    function (this: string, ...given: Arguments) {
      reads++
      return method.apply(this, given)
    }
  Object.assign(String.prototype, {
    startsWith: counted(startsWith),
    endsWith: counted(endsWith),
    charCodeAt: counted(charCodeAt),
  })
  try {
    names.nameOf({ callId: idOf(calls) })
  } finally {
    Object.assign(String.prototype, { startsWith, endsWith, charCodeAt })
  }
  return reads
}

test('the cost of a short id does not depend on the number of calls', () => {
  const few = readsAt(100)
  expect(few).toBeGreaterThan(0)
  expect(readsAt(20_000)).toBeLessThanOrEqual(few + 10)
})
