import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MatcherError } from '../../../src/scenario/errors.ts'
import {
  diffValue,
  isPlainText,
  readComparison,
  readValueMatcher,
  satisfies,
} from '../../../src/scenario/expect/value.ts'
import { codePoint } from '../../helpers/code-point.ts'

/** Codes of the differences, or of errors in the matcher. */
async function paths(expected: unknown, actual: unknown): Promise<readonly string[] | string> {
  try {
    return diffValue(await readValueMatcher(expected), actual).map(({ path }) => path.join('.'))
  } catch (error) {
    if (error instanceof MatcherError) return `${error.path.join('.')}: ${error.code}`
    throw error
  }
}

describe('matching values', () => {
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
    ['/^b$/m', 'a\nb'],
    [{ count: '>= 1' }, { count: ' 2 ' }],
    [{ count: '>= 1.25' }, { count: 1.3 }],
    [{ text: '>= a1' }, { text: '>= a1' }],
    [{ text: '>= 1a' }, { text: '>= 1a' }],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
  ])('%j: %j', async (expected, actual) => {
    expect(await paths(expected, actual)).toEqual([])
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
    [{ n: null }, { n: {} }, ['n']],
    [{ x: '/a/' }, { x: {} }, ['x']],
    ['/^b$/', 'a\nb', ['']],
    [{ count: '>= 1' }, { count: true }, ['count']],
    [{ score: '>= 70' }, { score: '8%0' }, ['score']],
    [{ list: [1, 2] }, { list: [1] }, ['list.1']],
    [{ list: [1] }, { list: [1, 2] }, ['list']],
    [{ list: [] }, { list: {} }, ['list']],
    [{ a: { b: 1, c: 2 }, d: 3 }, { a: { c: 4 } }, ['a.b', 'a.c', 'd']],
    [{ toString: 'any' }, {}, ['toString']],
    [JSON.parse('{"__proto__":"any"}'), {}, ['__proto__']],
  ])('%j is not %j: %j', async (expected, actual, where) => {
    expect(await paths(expected, actual)).toEqual(where)
  })

  test('a difference contains path and actual value', async () => {
    const matcher = await readValueMatcher({ a: [{ day: '> 3' }] })
    expect(diffValue(matcher, { a: [{ day: 2 }] })).toEqual([{ path: ['a', 0, 'day'], actual: 2 }])
  })

  test('a matcher made from a value matches that value and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async value => {
        const found = await paths(value, value)
        // A text such as "/(/" or "> 1" is not a value.
        fc.pre(!JSON.stringify(value).match(/"(\/|[<>=]|any")/))
        expect(found).toEqual([])
      }),
    )
  })

  test('reports a removed argument by path', async () => {
    const member = fc.tuple(fc.string(), fc.oneof(fc.integer(), fc.boolean()))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(member, { selector: ([name]) => name, minLength: 1 }),
        async members => {
          const [first = ''] = members[0] ?? []
          const found = await paths(Object.fromEntries(members), Object.fromEntries(members.slice(1)))
          expect(found).toEqual([first])
        },
      ),
    )
  })

  test('parses or rejects any value, and compares it with any other', async () => {
    const text = fc.constantFrom('any', '/a/', '/(/', '>= 1', '2', 'true')
    const json = fc.jsonValue({ stringUnit: codePoint })
    const values = fc.oneof(json, fc.dictionary(fc.string(), text), fc.array(fc.oneof(text, json)))
    await fc.assert(
      fc.asyncProperty(values, values, async (expected, actual) => {
        const matcher = await readValueMatcher(expected).catch(error => {
          if (!(error instanceof MatcherError)) throw error
        })
        if (matcher === undefined) return
        for (const { path } of diffValue(matcher, actual)) {
          const part = path.reduce<unknown>((whole, step) => Object(whole)[step], expected)
          expect(part).not.toBe(undefined)
        }
      }),
    )
  })

  test.each<[unknown, string]>([
    [{ a: ['/(/'] }, 'a.0: broken-pattern'],
    [{ a: '//' }, 'a: empty-text'],
  ])('rejects %j with its path', async (expected, problem) => {
    expect(await paths(expected, {})).toBe(problem)
  })

  test('accepts fifty levels of nesting', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
    expect(await paths(nested(50), nested(50))).toEqual([])
    expect(await paths(nested(51), nested(51))).toMatch(/: nested-too-deep$/)
    await expect(readValueMatcher(nested(51))).rejects.toThrow('more than 50 levels')
  })
})

test.each([
  ['Friday', true],
  ['', true],
  ['> many', true],
  ['any', false],
  ['/a/', false],
  ['/(/', false],
  ['>= 1', false],
])('%j is compared literally: %s', (text, isPlain) => {
  expect(isPlainText(text)).toBe(isPlain)
})

describe('comparisons', () => {
  test.each([
    ['<', [true, false, false]],
    ['<=', [true, true, false]],
    ['=', [false, true, false]],
    ['>=', [false, true, true]],
    ['>', [false, false, true]],
  ] as const)('1, 2 and 3 are %s 2: %j', (operator, verdicts) => {
    expect([1, 2, 3].map(actual => satisfies({ operator, amount: 2 }, actual))).toEqual(verdicts)
  })

  test.each([
    ['<= 40', 'count', '<=', 40],
    [1, 'count', '=', 1],
    [0, 'count', '=', 0],
    ['>7.5', 'count', '>', 7.5],
    ['<= 2m', 'duration', '<=', 120_000],
    [' > 500ms ', 'duration', '>', 500],
    ['1s', 'duration', '=', 1000],
  ] as const)('%j of a %s', (text, unit, operator, amount) => {
    expect(readComparison(text, unit)).toEqual({ operator, amount })
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
  ] as const)('%j is not a comparison of a %s', (text, unit) => {
    expect(() => readComparison(text, unit)).toThrow(
      expect.objectContaining({
        code: 'no-comparison',
        hint: `use a ${unit === 'count' ? 'number' : 'duration'}, optionally after <=, >=, <, >, =: ${unit === 'count' ? '<= 40, 1' : '<= 2m, > 500ms'}`,
      }),
    )
  })
})
