import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkStructuredData } from '../../../src/sandbox/analysis/by-rule.ts'

const properties = { a: { type: 'string' }, b: { type: 'integer' } }

test.each([
  ['names its dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
  ['names another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }],
  ['has an id', { $id: 'https://example.test/data' }],
  ['asks for two properties', { minProperties: 2 }],
  ['has examples and keywords of its own', { example: { a: 'x' }, color: 'red' }],
])('a schema that %s lets pass what fits', async (_what, more) => {
  expect(await checkStructuredData({ type: 'object', properties, ...more }, { a: 'x', b: 1, c: 2 })).toEqual({
    data: { a: 'x', b: 1 },
    problems: [],
  })
})

test('an asynchronous schema checks as any other', async () => {
  expect(await checkStructuredData({ $async: true, properties }, { a: 5, b: 1 })).toEqual({
    data: { b: 1 },
    problems: ['the structured data’s a does not match its schema: must be string'],
  })
})

test('a property may reference a definition', async () => {
  const schema = { $defs: { day: { format: 'date' } }, properties: { d: { $ref: '#/$defs/day' } } }
  expect((await checkStructuredData(schema, { d: '2026-02-28' })).data).toEqual({ d: '2026-02-28' })
  expect((await checkStructuredData(schema, { d: '2026-02-30' })).problems).toHaveLength(1)
})

test('reports what the whole lacks once, without omitting anything', async () => {
  const schema = { properties, required: ['a', 'b'] }
  expect(await checkStructuredData(schema, { b: 1 })).toEqual({
    data: { b: 1 },
    problems: ["the structured data does not match its schema: must have required property 'a'"],
  })
  expect(await checkStructuredData(schema, { a: 'x', b: 'many' })).toEqual({
    data: { a: 'x' },
    problems: ['the structured data’s b does not match its schema: must be integer'],
  })
})

test('a property whose schema is none is reported; the others are checked', async () => {
  const schema = { properties: { ...properties, c: { pattern: '(' }, d: { $ref: 'http://127.0.0.1:1/x' } } }
  const { data, problems } = await checkStructuredData(schema, { a: 'x', b: 'y', c: 'z', d: 1 })
  expect(data).toEqual({ a: 'x' })
  expect(problems.map(problem => /’s (\w)/.exec(problem)?.[1])).toEqual(['c', 'd', 'b'])
})

test.each([
  ['is none', { allOf: 5, properties }],
  ['refers to itself without end', { allOf: [{ $ref: '#' }], properties }],
])('a schema that %s lets nothing pass, and is reported once', async (_what, schema) => {
  const { data, problems } = await checkStructuredData(schema, { a: 'x', b: 1 })
  expect(data).toEqual({})
  expect(problems).toEqual([expect.stringContaining('the schema of the structured data cannot be used: ')])
})

const many = 'a'.repeat(40)
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [
    `d${index}`,
    index === 39 ? { type: 'string' } : { allOf: Array(2).fill({ $ref: `#/$defs/d${index + 1}` }) },
  ]),
)
test('references that double at each step are given up, and reported', async () => {
  const schema = { $defs: doubling, properties: { a: { $ref: '#/$defs/d0' } } }
  expect(await checkStructuredData(schema, { a: 'x' })).toEqual({
    data: {},
    problems: ['the schema of the structured data cannot be used: checking it is too much work'],
  })
  expect(await checkStructuredData({ properties }, { a: 'x' })).toEqual({ data: { a: 'x' }, problems: [] })
})

test('a pattern that would backtrack checks in linear time', async () => {
  const schema = { properties: { a: { pattern: '^(a+)+$' }, b: { pattern: '^(a+)+$' } } }
  expect(await checkStructuredData(schema, { a: many, b: `${many}!` })).toEqual({
    data: { a: many },
    problems: ['the structured data’s b does not match its schema: must match pattern "^(a+)+$"'],
  })
})

test.each(['^(?=.*\\d)', '(x|y)\\1'])(
  '%s, which RE2 does not support, is reported without affecting other fields',
  async pattern => {
    const schema = { properties: { a: { pattern }, b: { pattern: '^\\u0078$' } } }
    expect(await checkStructuredData(schema, { a: 'xx1', b: 'x' })).toEqual({
      data: { b: 'x' },
      problems: [
        expect.stringMatching(/^the structured data’s a has a schema that cannot be used: .*regexp/),
      ],
    })
  },
)

test('names of Object members are ordinary names, except __proto__', async () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{},"toString":{"type":"string"},"o":{"type":"object","properties":{"constructor":{"type":"string"}}}}}',
  )
  const values = JSON.parse('{"__proto__":{"x":1},"toString":"said","valueOf":"hidden","o":{}}')
  const { data, problems } = await checkStructuredData(schema, values)
  expect(Object.entries(data)).toEqual([
    ['toString', 'said'],
    ['o', {}],
  ])
  expect(problems).toEqual([])
})

test.each([
  ['phone', '+1 (202) 555-0101', true],
  ['phone', '202.555.0101', true],
  ['phone', '555', false],
  ['phone', '1234567890123456', false],
  ['time', '9:30', true],
  ['time', '24:00', false],
  ['email', 'ada@example.test', true],
  ['email', 'ada', false],
  ['uri', 'https://example.test/', true],
  ['no-such-format', 'anything', true],
])('the format %s: %j passes: %j', async (format, value, passes) => {
  const { data } = await checkStructuredData({ properties: { v: { type: 'string', format } } }, { v: value })
  expect(Object.hasOwn(data, 'v')).toBe(passes)
})

test('for any schema and values, never throws and never accepts unknown values', async () => {
  const values = fc.dictionary(fc.constantFrom('a', 'b', 'toString', '__proto__', 'a/b~c'), fc.jsonValue())
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue()),
      values,
      values,
      async (rest, known, given) => {
        const { data } = await checkStructuredData({ ...rest, properties: known }, given)
        expect(Object.keys(data).filter(name => !Object.hasOwn(known, name))).toEqual([])
      },
    ),
  )
})
