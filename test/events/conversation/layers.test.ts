import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addLayer, getNewest, type Layers, mergeLayers } from '../../../src/events/conversation/layers.ts'

test('layers have the entries of one map, in its order', () => {
  const additions = fc.array(fc.dictionary(fc.constantFrom(...'abcdefghij'), fc.nat(), { maxKeys: 5 }))
  fc.assert(
    fc.property(additions, added => {
      const whole = new Map<string, number>()
      let layers: Layers<number> = []
      for (const entries of added.map(each => Object.entries(each))) {
        for (const [key, value] of entries) whole.set(key, value)
        layers = addLayer(layers, new Map(entries))
      }
      expect([...mergeLayers(layers)]).toEqual([...whole])
      for (const key of 'abcdefghijk') expect(getNewest(layers, key)).toBe(whole.get(key))
    }),
  )
})

/** Entries that are copied while this many are added one by one. */
function copiedEntries(count: number): number {
  let copied = 0
  let layers: Layers<number> = []
  for (let index = 0; index < count; index += 1) {
    const next = addLayer(layers, new Map([[String(index), index]]))
    for (const layer of next) if (!layers.includes(layer)) copied += layer.size
    layers = next
  }
  return copied
}

test('twice as many entries cost little more than twice as many copies', () => {
  expect(copiedEntries(20_000) / copiedEntries(10_000)).toBeLessThan(2.3)
})
