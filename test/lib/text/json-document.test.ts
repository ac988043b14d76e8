import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJsonDocument } from '../../../src/lib/text/escape.ts'
import { jsonDocumentParts } from '../../../src/lib/text/json-document.ts'

test('the parts of a document are the document', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }).filter(hasJson), value => {
      expect([...jsonDocumentParts(value)].join('')).toBe(toJsonDocument(value))
    }),
  )
})

test('splits a document of many items only between texts', () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({
    index,
    text: 'a\u202e b\ud800 ✓'.repeat(index % 20),
  }))
  const parts = [...jsonDocumentParts({ items })]
  expect(parts.length).toBeGreaterThan(10)
  expect(parts.join('')).toBe(toJsonDocument({ items }))
})

test('a value that nests deeper than a stack is one part', () => {
  const json = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect([...jsonDocumentParts(JSON.parse(json))]).toEqual([json])
})

function hasJson(value: unknown): boolean {
  try {
    return typeof JSON.stringify(value) === 'string'
  } catch {
    return false
  }
}
