import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countChanges,
  isEqual,
  type JsonChild,
  listChildren,
  unknownBefore,
} from '../../../src/web/page/json-changes.ts'

test('fields and items are added, changed or removed since what was before', () => {
  const before = { type: 'a', call: { id: '1', status: 'queued' }, messages: ['x'], gone: true }
  const value = { type: 'a', call: { id: '1', status: 'ongoing' }, messages: ['x', 'y'], more: null }
  expect(listChildren(value, before)).toEqual([
    { key: 'type', value: 'a', mark: undefined, before: 'a' },
    { key: 'call', value: value.call, mark: 'changed', before: before.call },
    { key: 'messages', value: value.messages, mark: 'changed', before: before.messages },
    { key: 'more', value: null, mark: 'added', before: undefined },
    { key: 'gone', value: true, mark: 'removed', before: true },
  ])
  expect(listChildren(value.messages, before.messages)).toEqual([
    { key: undefined, value: 'x', mark: undefined, before: 'x' },
    { key: undefined, value: 'y', mark: 'added', before: undefined },
  ])
  expect(countChanges(value, before)).toEqual({ added: 2, changed: 1, removed: 1 })
  expect(listChildren({ a: 1 }, unknownBefore)).toEqual([
    { key: 'a', value: 1, mark: undefined, before: unknownBefore },
  ])
})

test('an inherited name is not a field, and a list never equals an object', () => {
  expect(listChildren({ constructor: 1 }, {})).toMatchObject([{ mark: 'added' }])
  expect(listChildren(JSON.parse('{"__proto__":1}'), {})).toMatchObject([{ key: '__proto__', mark: 'added' }])
  expect(isEqual([1], { 0: 1 })).toBe(false)
  expect(countChanges({ a: [1] }, { a: { 0: 1 } })).toEqual({ added: 0, changed: 1, removed: 0 })
})

test('values that nest deeper than a function can call itself are compared in time', () => {
  const deep = () => JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  expect(countChanges(deep(), deep())).toMatchObject({ changed: 1 })
})

/** Undoes what the marks say. */
function undo({ value, mark, before }: JsonChild): unknown {
  return mark === 'changed' ? before : value
}

test('the marks show what was there before', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 })),
      fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 })),
      (value, before) => {
        const kept = listChildren(value, before).filter(({ mark }) => mark !== 'added')
        const entries = kept.map((child): [string, unknown] => [child.key ?? '', undo(child)])
        expect(isEqual(Object.fromEntries(entries), before)).toBe(true)
        const { added, changed, removed } = countChanges(value, before)
        expect(added + changed + removed === 0).toBe(isEqual(value, before))
        expect(countChanges(value, JSON.parse(JSON.stringify(value)))).toEqual({
          added: 0,
          changed: 0,
          removed: 0,
        })
      },
    ),
  )
})
