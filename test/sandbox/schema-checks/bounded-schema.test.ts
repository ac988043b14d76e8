import { expect, test } from 'vitest'
import { isBounded } from '../../../src/sandbox/schema-checks/bounded-schema.ts'

const day = { type: 'string', format: 'date', description: 'Day of the visit' }

test.for([
  [{ type: 'object', properties: { day }, required: ['day'] }, true],
  [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'array', items: day, uniqueItems: true }] }, true],
  [{ properties: { code: { type: 'string', pattern: '^(a+)+$' } } }, false],
  [{ patternProperties: { '^(a+)+$': {} } }, false],
  [{ anyOf: [{ items: [{ not: { pattern: 'a' } }] }] }, false],
  [{ $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } } }, false],
  [{ $dynamicRef: '#node' }, false],
] as const)('the check by %j ends soon: %s', ([schema, bounded]) => {
  expect(isBounded(schema, { day: '2026-03-14' })).toBe(bounded)
})

test('a check of many values may take long', () => {
  expect(isBounded({ items: { enum: [1] }, uniqueItems: true }, Array(20_000).fill(1))).toBe(false)
})
