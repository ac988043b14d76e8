import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readComparison } from '../../../src/scenario/expect/comparison.ts'
import { differencesOf, readValueMatcher } from '../../../src/scenario/expect/value.ts'

function paths(expected: unknown, actual: unknown): readonly string[] | string {
  const read = readValueMatcher(expected)
  if ('problem' in read) return `${read.problem.path.join('.')}: ${read.problem.code}`
  return differencesOf(read.matcher, actual).map(({ path }) => path.join('.'))
}

describe('a value is as it should be', () => {
  test.each<[unknown, unknown]>([
    [{ day: '/^2026/' }, { day: '2026-01-02', time: '10:40' }],
    [{ count: '>= 1' }, { count: 2 }],
    [{ count: '>= 1' }, { count: '2' }],
    [{ score: '>= 70' }, { score: '80%' }],
    [{ x: 'any' }, { x: null }],
    [{ a: { b: [1, 'two'] } }, { a: { b: [1, 'two'], c: 3 } }],
    [{ count: 2 }, { count: '2' }],
    [{ count: '2' }, { count: 2 }],
    [{ ok: 'true' }, { ok: true }],
    [{ none: null }, { none: null }],
    [{}, { any: 'thing' }],
    ['/^20/', 2026],
    ['/^café$/', 'cafe\u0301'],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
  ])('%j: %j', (expected, actual) => {
    expect(paths(expected, actual)).toEqual([])
  })

  test.each<[unknown, unknown, readonly string[]]>([
    [{ day: '/^2026/' }, { day: '2025-01-02' }, ['day']],
    [{ x: 'any' }, {}, ['x']],
    [{ x: 'any' }, 'no object', ['']],
    [{ count: '>= 1' }, { count: 'many' }, ['count']],
    [{ name: 'Ada' }, { name: 'ada' }, ['name']],
    [{ zip: '02' }, { zip: 2 }, ['zip']],
    [{ n: '2.0' }, { n: 2 }, ['n']],
    [{ n: null }, { n: 'null' }, ['n']],
    [{ n: null }, {}, ['n']],
    [{ list: [1, 2] }, { list: [1] }, ['list.1']],
    [{ list: [1] }, { list: [1, 2] }, ['list']],
    [{ list: [] }, { list: {} }, ['list']],
    [{ a: { b: 1, c: 2 }, d: 3 }, { a: { c: 4 } }, ['a.b', 'a.c', 'd']],
    [{ toString: 'any' }, {}, ['toString']],
    [JSON.parse('{"__proto__":"any"}'), {}, ['__proto__']],
  ])('%j is not %j: %j', (expected, actual, where) => {
    expect(paths(expected, actual)).toEqual(where)
  })

  test('a difference says what was expected there and what was found', () => {
    const read = readValueMatcher({ a: [{ day: '> 3' }] })
    if ('problem' in read) throw new Error(read.problem.code)
    expect(differencesOf(read.matcher, { a: [{ day: 2 }] })).toEqual([
      { path: ['a', 0, 'day'], expected: { kind: 'compared', operator: '>', amount: 3 }, actual: 2 },
    ])
  })

  test('a matcher that is made of a value matches it, and another one than a text of it does not', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), value => {
        const found = paths(value, value)
        // A text such as "/(/" or "> 1" is no value.
        fc.pre(!JSON.stringify(value).match(/"(\/|[<>=]|any")/))
        expect(found).toEqual([])
      }),
    )
  })

  test('an argument that is taken out is missed by its path', () => {
    const member = fc.tuple(fc.string(), fc.oneof(fc.integer(), fc.boolean()))
    fc.assert(
      fc.property(fc.uniqueArray(member, { selector: ([name]) => name, minLength: 1 }), members => {
        const [first = ''] = members[0] ?? []
        const found = paths(Object.fromEntries(members), Object.fromEntries(members.slice(1)))
        expect(found).toEqual([first])
      }),
    )
  })

  test('any value is read or refused, and compared with any other', () => {
    const text = fc.constantFrom('any', '/a/', '/(/', '>= 1', '2', 'true')
    const json = fc.jsonValue({ stringUnit: 'binary' })
    const values = fc.oneof(json, fc.dictionary(fc.string(), text), fc.array(fc.oneof(text, json)))
    fc.assert(
      fc.property(values, values, (expected, actual) => {
        const read = readValueMatcher(expected)
        if ('problem' in read) return
        for (const { path } of differencesOf(read.matcher, actual)) {
          const part = path.reduce<unknown>((whole, step) => Object(whole)[step], expected)
          expect(part).not.toBe(undefined)
        }
      }),
    )
  })

  test.each<[unknown, string]>([
    [{ a: ['/(/'] }, 'a.0: broken-pattern'],
    [{ a: '//' }, 'a: empty-text'],
  ])('%j is refused at its place', (expected, problem) => {
    expect(paths(expected, {})).toBe(problem)
  })

  test('a value is read to fifty levels', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
    expect(paths(nested(50), nested(50))).toEqual([])
    expect(paths(nested(51), nested(51))).toMatch(/: nested-too-deep$/)
  })
})

describe('comparisons', () => {
  test.each([
    ['<= 40', 'count', '<=', 40],
    [1, 'count', '=', 1],
    ['>7.5', 'count', '>', 7.5],
    ['<= 2m', 'duration', '<=', 120_000],
    [' > 500ms ', 'duration', '>', 500],
    ['1s', 'duration', '=', 1000],
  ] as const)('%j of a %s', (text, unit, operator, amount) => {
    expect(readComparison(text, unit)).toEqual({ matcher: { operator, amount } })
  })

  test.each([
    ['many', 'count'],
    ['=> 4', 'count'],
    ['<= -1', 'count'],
    ['<= 2m', 'count'],
    [2, 'duration'],
    ['<= 2', 'duration'],
    ['', 'count'],
    [Number.NaN, 'count'],
  ] as const)('%j is no comparison of a %s', (text, unit) => {
    expect(readComparison(text, unit)).toMatchObject({
      problem: { code: 'no-comparison', details: { unit, operators: ['<=', '>=', '<', '>', '='] } },
    })
  })
})
