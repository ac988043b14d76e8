import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortId } from '../../src/lib/text/did-you-mean.ts'
import { createCallNames, createLiveCalls } from '../../src/transcript/call-names.ts'

/** Ids that share beginnings and ends, some of them whole in their short form. */
const id = fc
  .tuple(
    fc.constantFrom('CC-', 'conversation_01h'),
    fc.string({ unit: fc.constantFrom('1', '2'), maxLength: 4 }),
    fc.constantFrom('', '-second-try', '-0000-4000-8000-000000000001'),
  )
  .map(parts => parts.join(''))

test('a name is the shortest beginning that no earlier call has', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id), ids => {
      const names = createCallNames()
      for (const [place, each] of ids.entries()) {
        names.add(each, each, '')
        expect(names.get(each)).toBe(shortId(each, ids.slice(0, place)))
      }
    }),
  )
})

test('a tag is the shortest end of the name that no other live call has', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1 }), fc.array(fc.nat(), { maxLength: 5 }), (ids, ends) => {
      const live = createLiveCalls()
      const left = new Set(ids)
      for (const each of ids) live.add(each)
      for (const place of ends) {
        const ended = ids[place % ids.length] ?? 'CC-'
        live.remove(ended)
        left.delete(ended)
      }
      expect(live.size).toBe(left.size)
      for (const [place, each] of ids.entries()) {
        const name = shortId(each, ids.slice(0, place))
        expect(live.tagOf(name)).toBe(slowTag(name, [...left]))
      }
    }),
  )
})

/** By comparing with every live call. */
function slowTag(name: string, live: readonly string[]): string {
  for (let length = 6; ; length += 2) {
    const end = name.slice(-length)
    const isShared = live.some(other => !other.startsWith(name) && shortId(other).endsWith(end))
    if (!isShared || length >= Math.min(24, name.length)) return end
  }
}

/** Characters that are read of all ids that are remembered, while the call after `calls` others is shown. */
function readsAt(calls: number): number {
  let reads = 0
  const live = createLiveCalls()
  const names = createCallNames()
  const idOf = (call: number) => `CC-${String(call).padStart(8, '0')}-0000-4000-8000-000000000001`
  for (let call = 0; call < calls; call++) {
    names.add(idOf(call), idOf(call), '')
    live.add(idOf(call))
  }
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
    names.add(idOf(calls), idOf(calls), '')
    live.add(idOf(calls))
    live.tagOf(names.get(idOf(calls)) ?? '')
  } finally {
    Object.assign(String.prototype, { startsWith, endsWith, charCodeAt })
  }
  return reads
}

test('a name and a tag cost as much among 20,000 calls as among 100', () => {
  const few = readsAt(100)
  expect(few).toBeGreaterThan(0)
  expect(readsAt(20_000)).toBeLessThanOrEqual(few + 10)
})
