import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TestCase } from '../../../src/scenario/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { valuesOf } from '../../interface/odd-values.ts'
import { projectWith } from './load-project-with.ts'

const odd = fc.oneof(
  fc.constantFrom('/(/', '/(?=x)/', ' ', '/keys 1', '/hangup', '>= 1', '__proto__'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
)
const texts = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom('Hello', '/hel+o/i', 'any', '{{a}}', '{{name}}') },
  { weight: 1, arbitrary: odd },
)
const someOrList = fc.oneof(texts, fc.array(texts, { minLength: 1, maxLength: 2 }))
const tools = fc.constantFrom('book-appointment', 'book_appointment', 'end_call')
const amounts = fc.oneof(fc.nat(50), fc.constantFrom('<= 40', '3'))
const durations = fc.constantFrom('2s', '500ms')
const values = fc.oneof(
  { weight: 5, arbitrary: texts },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const conversation = {
  says: some(someOrList),
  not: some(someOrList),
  heard: some(someOrList),
  exactly: some(texts),
  judge: some(someOrList),
  knows: some(fc.constantFrom('When are you open?', 'when  are you open?')),
  ends: some(fc.constantFrom('assistant', 'user')),
  calls: some(
    fc.oneof(
      fc.dictionary(tools, fc.oneof(fc.constantFrom('any', 'never'), fc.dictionary(texts, values)), {
        minKeys: 1,
      }),
      fc.array(
        fc.oneof(tools, fc.dictionary(tools, fc.dictionary(texts, values), { minKeys: 1, maxKeys: 1 })),
      ),
    ),
  ),
}
const turns = fc.array(
  fc.record({
    user: fc.constantFrom('Hello', '{{a}}', '//a', '/keys 1', '/interrupt Wait', '/say-nothing 2'),
    expect: some(
      fc.record({ ...conversation, within: some(durations), words: some(amounts), silence: some(durations) }),
    ),
  }),
  { maxLength: 4 },
)
/** Mostly right, so that many pass. */
const files = fc.record({
  assistant: fc.constantFrom('front-desk', '${assistant:front-desk}', { name: 'Desk {{a}}' }),
  name: some(texts),
  variables: some(fc.dictionary(texts, texts, { maxKeys: 2 })),
  metadata: some(fc.dictionary(texts, values, { maxKeys: 2 })),
  tools: some(
    fc.dictionary(
      fc.constant('book-appointment'),
      fc.oneof(fc.record({ returns: values }), fc.constant({ fails: 'x', after: '1s' })),
      {
        maxKeys: 1,
      },
    ),
  ),
  turns,
  expect: some(
    fc.record({
      ...conversation,
      duration: some(durations),
      interruptions: some(amounts),
      analysis: some(fc.record({ summary: values })),
    }),
  ),
  each: some(
    fc.array(fc.record({ a: fc.constantFrom('one', 'two', '{{name}}'), name: values }), {
      minLength: 1,
      maxLength: 3,
    }),
  ),
})

/** Expectations of the file: a text is one expectation, and so is each item of a list. */
function expectedCount(value: Readonly<Record<string, unknown>>): number {
  return Object.entries(value).reduce((count, [key, part]) => {
    if (part === undefined) return count
    if (key === 'calls') return count + (Array.isArray(part) ? 1 : Object.keys(Object(part)).length)
    return count + (Array.isArray(part) ? part.length : 1)
  }, 0)
}

function placesOf({ turns: all, expect: whole, location: place }: TestCase) {
  return [
    place,
    ...all.flatMap(turn => [turn.location, ...turn.expect.map(each => each.location)]),
    ...whole.map(each => each.location),
  ]
}

test('loads valid files completely: locations for turns and expectations, a test per row', async () => {
  const { cwd, load } = await projectWith({ 'tests/a.test.json': '{}' })
  let passed = 0
  await fc.assert(
    fc.asyncProperty(files, async file => {
      const text = JSON.stringify(file)
      await writeFile(join(cwd, 'tests/a.test.json'), text)
      const { tests, diagnostics } = await load(['tests'])
      const errors = diagnostics.filter(({ severity }) => severity === 'error')
      for (const { position } of diagnostics) expect(position).toBeDefined()
      if (errors.length > 0) {
        expect(tests).toEqual([])
        return
      }
      passed += 1
      const written = JSON.parse(text)
      expect(tests).toHaveLength(written.each?.length ?? 1)
      const expected = [
        written.expect ?? {},
        ...written.turns.map((turn: { expect?: object }) => turn.expect ?? {}),
      ]
      for (const each of tests) {
        const found = [...each.expect, ...each.turns.flatMap(turn => turn.expect)]
        expect(found).toHaveLength(expected.reduce((count, value) => count + expectedCount(value), 0))
        for (const { position, file: holder } of placesOf(each)) {
          expect(holder).toBe('tests/a.test.json')
          expect(position).toBeDefined()
        }
        expect(each.turns[0]?.caller).toBeUndefined()
        expect(each.turns.slice(1).every(({ caller }) => caller !== undefined)).toBe(true)
      }
    }),
    { numRuns: runs(50) },
  )
  expect(passed).toBeGreaterThan(3)
}, 60_000)

test('never throws for file contents, and has a message for each error', async () => {
  const { cwd, load } = await projectWith({ 'tests/a.test.json': '{}' })
  await fc.assert(
    fc.asyncProperty(valuesOf('test'), async value => {
      await writeFile(join(cwd, 'tests/a.test.json'), JSON.stringify(value))
      const { tests, diagnostics } = await load(['tests'])
      if (tests.length === 0) expect(diagnostics.some(({ severity }) => severity === 'error')).toBe(true)
      for (const { message } of diagnostics) expect(message).not.toBe('')
    }),
    { numRuns: runs(40) },
  )
}, 60_000)
