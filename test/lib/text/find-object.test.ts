import { expect, test } from 'vitest'
import { findObject } from '../../../src/lib/text/find-object.ts'

test.each([
  ['{"a":1}', { a: 1 }],
  ['Here it is:\n```json\n{"a":1}\n```\nNote: {not said} was left out.', { a: 1 }],
  ['The answer is {"a":{"b":2}}, as asked.', { a: { b: 2 } }],
  ['[1]', undefined],
  ['{"a":', undefined],
  ['', undefined],
  [`{"a":${'['.repeat(60)}${']'.repeat(60)}}`, undefined],
  [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, undefined],
])('the object in %.60j', (answer, object) => {
  expect(findObject(answer)).toEqual(object)
})

test('a prototype is not data at any depth', () => {
  const found = findObject('{"__proto__":{"x":1},"a":{"__proto__":{"x":1},"b":2}}')
  expect(JSON.stringify(found)).toBe('{"a":{"b":2}}')
})
