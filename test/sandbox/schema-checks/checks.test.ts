import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checks, loadPatternEngine } from '../../../src/sandbox/schema-checks/checks.ts'
import { countNodes, createWorkBudget } from '../../../src/sandbox/schema-checks/work-budget.ts'
import { runs } from '../../helpers/every-case.ts'

await loadPatternEngine()

/** Patterns that take exponential or quadratic time with backtracking, grow when they are compiled, or are not patterns. */
const hostilePattern = fc.oneof(
  fc.constantFrom(
    '^(a+)+$',
    '(a|aa)+b',
    '(.*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a{1000}){1000}',
    '[',
    '(',
  ),
  fc
    .tuple(fc.constantFrom('(?:a?)', '(a*)', '(a|b|ab)'), fc.integer({ min: 0, max: 1000 }))
    .map(([part, times]) => `${part}{${times}}`.repeat(5)),
  fc.constantFrom('(', 'a?').map(part => part.repeat(5000)),
)
const hostileText = fc
  .tuple(fc.constantFrom('a', 'ab', 'a@', 'http://a/', '1.'), fc.integer({ min: 0, max: 3000 }))
  .map(([part, times]) => `${part.repeat(times)}!`)

/** References that double at each step. */
const fan = Object.fromEntries(
  Array.from({ length: 21 }, (_, index) => [
    `fan${index}`,
    index === 20
      ? { properties: { a: { type: 'string' } } }
      : { allOf: Array(2).fill({ $ref: `#/$defs/fan${index + 1}` }) },
  ]),
)
const ref = fc.constantFrom('#', '#/$defs/d0', '#/$defs/d1', '#/$defs/fan0').map($ref => ({ $ref }))
const { hostileSchema } = fc.letrec<{ hostileSchema: Record<string, unknown> }>(tie => ({
  hostileSchema: fc.oneof(
    { maxDepth: 5 },
    fc.record({ pattern: hostilePattern }),
    fc.record({ format: fc.constantFrom('email', 'uri', 'hostname', 'uri-template', 'regex', 'date-time') }),
    fc.constant({ uniqueItems: true }),
    ref,
    fc
      .dictionary(hostilePattern, tie('hostileSchema'), { maxKeys: 2 })
      .map(patternProperties => ({ patternProperties })),
    fc.array(tie('hostileSchema'), { minLength: 1, maxLength: 4 }).map(allOf => ({ allOf })),
    fc.array(tie('hostileSchema'), { minLength: 1, maxLength: 4 }).map(oneOf => ({ oneOf })),
    tie('hostileSchema').map(items => ({ items })),
    tie('hostileSchema').map(a => ({ properties: { a }, unevaluatedProperties: a })),
  ),
}))
const { hostileValue } = fc.letrec(tie => ({
  hostileValue: fc.oneof(
    { maxDepth: 6 },
    hostileText,
    fc.integer(),
    fc.integer({ max: 300, min: 0 }).map(length => Array.from({ length }, (_, index) => [index])),
    fc.array(tie('hostileValue'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'aaaa'), tie('hostileValue')),
    fc.integer({ min: 0, max: 400 }).map(depth => {
      let nested: unknown = 'x'
      for (let level = 0; level < depth; level += 1) nested = level % 2 === 0 ? { a: nested } : [nested]
      return nested
    }),
  ),
}))

/** A JSON value that counts how often something of it is read. */
function watched(value: unknown, onRead: () => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  const inner = Array.isArray(value)
    ? value.map(element => watched(element, onRead))
    : Object.fromEntries(Object.entries(value).map(([name, field]) => [name, watched(field, onRead)]))
  return new Proxy(inner, {
    get(target, name, receiver) {
      onRead()
      return Reflect.get(target, name, receiver)
    },
    getOwnPropertyDescriptor(target, name) {
      onRead()
      return Reflect.getOwnPropertyDescriptor(target, name)
    },
  })
}

test('no schema and no values keep a check busy: what it reads of them is bounded by its budget', () => {
  const steps = 100_000
  const counted = { givenUp: 0, checked: 0 }
  fc.assert(
    fc.property(
      fc.record({
        $defs: fc.record({ d0: hostileSchema, d1: hostileSchema }).map(defs => ({ ...defs, ...fan })),
        allOf: fc.array(hostileSchema),
      }),
      hostileValue,
      (schema, value) => {
        let reads = 0
        const values = watched(value, () => {
          reads += 1
        })
        const budget = createWorkBudget(steps)
        const { unusable = '' } = checks.arguments({ schema, values }, budget)
        counted[/too much work|too deeply/.test(unusable) ? 'givenUp' : 'checked'] += 1
        expect(reads).toBeLessThan(steps * 10)
      },
    ),
    { numRuns: runs(300) },
  )
  expect(Math.min(counted.givenUp, counted.checked)).toBeGreaterThan(0)
})

test('a schema and values of a large project are within the budget', () => {
  const field = { type: 'string', description: 'What it is for', pattern: '^[A-Z][a-z -]+$', maxLength: 100 }
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, field]))
  const schema = {
    properties: { list: { type: 'array', uniqueItems: true, items: { $ref: '#/$defs/entry' } } },
  }
  const entry = Object.fromEntries(Object.keys(fields).map(name => [name, 'A name of somebody']))
  const values = { list: Array.from({ length: 40 }, (_, index) => ({ ...entry, index })) }
  const question = { schema: { ...schema, $defs: { entry: { properties: fields } } }, values }
  expect(checks.arguments(question)).toEqual({})
  expect(JSON.stringify(values).length).toBeGreaterThan(40_000)
})

test('nodes of a value are counted, its own too', () => {
  expect(countNodes({ a: [1, 'x'], b: null })).toBe(5)
})

test.each([
  ['a pattern is long', { pattern: 'a'.repeat(1001) }, 'x', 'a pattern has more than 1000 characters'],
  ['a schema is large', { enum: Array(10_000).fill(0) }, 'x', 'checking it is too much work'],
  [
    'values are many',
    { items: { type: 'string' } },
    Array(2_000_000).fill('x'),
    'checking it is too much work',
  ],
  [
    'pairs are many',
    { uniqueItems: true },
    Array.from({ length: 1100 }, (_, index) => index),
    'checking it is too much work',
  ],
])('rejects a check where %s', (_, schema, values, reason) => {
  expect(checks.arguments({ schema, values })).toEqual({ unusable: `cannot be used: ${reason}` })
})
