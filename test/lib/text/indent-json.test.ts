import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeJsonText } from '../../../src/lib/text/escape.ts'
import { indentJsonText } from '../../../src/lib/text/indent-json.ts'

test('JSON text is the same document after escaping and indenting', () => {
  fc.assert(
    fc.property(fc.json(), json => {
      const value: unknown = JSON.parse(json)
      expect(JSON.parse(escapeJsonText(json))).toEqual(value)
      expect(indentJsonText(json)).toBe(JSON.stringify(value, null, 2))
    }),
  )
})
