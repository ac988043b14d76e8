import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mapTexts, stringifyJson, textsIn } from '../../src/lib/json.ts'
import { toJsonDocument, toJsonLine } from '../../src/lib/text/escape.ts'
import { runs } from '../helpers/every-case.ts'

const deep = (levels: number, inner = '1') => `${'[{"a":'.repeat(levels)}${inner}${'}]'.repeat(levels)}`

test.each([60, 5_000, 50_000])('%i levels are written whole', levels => {
  const json = deep(levels, '"x","b":[1,null]')
  expect(stringifyJson(JSON.parse(json))).toBe(json)
  expect(toJsonLine(JSON.parse(json))).toBe(json)
  expect(toJsonDocument(JSON.parse(json)).replace(/\s/g, '')).toBe(json)
})

test('around a nesting that overflows the stack, every value is what JSON.stringify writes', () => {
  const bottom = JSON.parse(deep(20_000))
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const written = stringifyJson({ value, left: undefined, bottom })
      expect(written).toBe(`{"value":${JSON.stringify(value)},"bottom":${deep(20_000)}}`)
    }),
    { numRuns: runs(10) },
  )
})

test('replaces only the texts of a value, each with its path', () => {
  const value = { a: 'x', list: [1, 'y', { ['__proto__']: 'z', none: null }], yes: true }
  expect(mapTexts(value, (text, path) => `${text} at ${path.join('.')}`)).toEqual({
    a: 'x at a',
    list: [1, 'y at list.1', { ['__proto__']: 'z at list.2.__proto__', none: null }],
    yes: true,
  })
  fc.assert(
    fc.property(fc.jsonValue(), whole => {
      expect(mapTexts(whole, text => text)).toEqual(whole)
      const seen: unknown[] = []
      mapTexts(whole, (text, path) => seen.push([path, text]))
      expect([...textsIn(whole)]).toEqual(seen)
    }),
  )
})
