import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  existingSteps,
  formatAssignmentPath,
  withoutValue,
  withValue,
} from '../../../src/events/trigger/field-path.ts'
import { parsePath } from '../../../src/events/trigger/index.ts'

test.each([
  ['call', ['call']],
  ['call.monitor.controlUrl', ['call', 'monitor', 'controlUrl']],
  ['messages[0].text', ['messages', 0, 'text']],
  ['a[1][20].b', ['a', 1, 20, 'b']],
  ['__proto__.x', ['__proto__', 'x']],
])('%s is a path', (text, path) => {
  expect(parsePath(text)).toEqual(path)
})

test.each(['', '.', 'a.', '.a', 'a..b', '[0]', 'a[', 'a[]', 'a[x]', 'a[-1]', 'a[0]b', 'a b', 'a[1234567]'])(
  '%j is none',
  text => {
    expect(parsePath(text)).toBeUndefined()
  },
)

const name = fc.stringMatching(/^[a-z_]{1,9}$/)
const path = fc
  .tuple(name, fc.array(fc.oneof(name, fc.nat({ max: 3 })), { maxLength: 5 }))
  .map(([first, more]) => [first, ...more] as [string, ...(string | number)[]])

test('round-trips a path', () => {
  fc.assert(
    fc.property(path, steps => {
      expect(parsePath(formatAssignmentPath(steps))).toEqual(steps)
    }),
  )
})

/** toHaveProperty does not see an own key `__proto__` within a path. */
const ownValue = (value: unknown, steps: readonly (string | number)[]) =>
  steps.reduce<unknown>((found, step) => Object.getOwnPropertyDescriptor(found, step)?.value, value)

test('setting a value changes nothing else and keeps the old value', () => {
  fc.assert(
    fc.property(fc.dictionary(name, fc.jsonValue()), path, fc.jsonValue(), (before, steps, put) => {
      const copy = structuredClone(before)
      let after: unknown
      try {
        after = withValue(before, steps, put)
      } catch (error) {
        expect(error).toMatchObject({ kind: 'usage', code: 'field-not-made' })
        return
      }
      expect(before).toEqual(copy)
      expect(ownValue(after, steps)).toEqual(put)
      for (const [key, value] of Object.entries(before)) {
        if (key !== steps[0]) expect(ownValue(after, [key])).toEqual(value)
      }
    }),
  )
})

test('removing and restoring a value gives an equal value', () => {
  fc.assert(
    fc.property(
      fc.dictionary(name, fc.dictionary(name, fc.jsonValue())),
      name,
      name,
      fc.integer(),
      (value, outer, inner, put) => {
        const before = withValue(value, [outer, inner], put)
        const after = withoutValue(before, [outer, inner])
        expect(existingSteps(after, [outer, inner])).toBe(1)
        expect(withValue(after, [outer, inner], put)).toEqual(before)
      },
    ),
  )
  expect(withoutValue({ a: [1, 2, 3] }, ['a', 1])).toEqual({ a: [1, 3] })
  expect(withoutValue({ a: 1 }, ['b'])).toEqual({ a: 1 })
  expect(withoutValue('text', ['length'])).toBe('text')
})

test('__proto__ is a field like any other', () => {
  const after = withValue({}, ['__proto__', 'admin'], true)
  expect(JSON.stringify(after)).toBe('{"__proto__":{"admin":true}}')
  expect(({} as Record<string, unknown>).admin).toBeUndefined()
})

test('continues a list with the next item, but not after a gap', () => {
  expect(withValue({ a: [1] }, ['a', 1], 2)).toEqual({ a: [1, 2] })
  expect(withValue({}, ['a', 0, 'b'], 2)).toEqual({ a: [{ b: 2 }] })
  const refused = (problem: unknown) =>
    expect.objectContaining({ details: expect.objectContaining({ problem, at: 'a' }) })
  expect(() => withValue({ a: [1] }, ['a', 2], 2)).toThrow(refused({ length: 1 }))
  expect(() => withValue({ a: 'text' }, ['a', 'b'], 2)).toThrow(refused('no-fields'))
  expect(() => withValue({ a: {} }, ['a', 0], 2)).toThrow(refused('no-list'))
})
