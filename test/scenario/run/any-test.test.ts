import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openProjectForSandbox } from '../../../src/library/apply-project.ts'
import type { TestResult } from '../../../src/scenario/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { valuesOf } from '../../interface/odd-values.ts'
import { projectWith } from '../load/load-project-with.ts'
import { run } from './run-cases.ts'

const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('Hello', 'Monday', 'the sandbox', '/mon|tue/i', '{{name}}', '{{column}}'),
  },
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
)
const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'When are you open?',
      'Please book an appointment for Friday at 10:00',
      'Book an appointment for {{column}}',
      'Transfer me to a person',
      'I want to cancel my booking and then book again on 2026-02-30',
      'Goodbye',
      '/hangup',
      '/interrupt Wait',
      '/interrupt Goodbye',
      '/keys 12#',
      '/say-nothing 31',
      '/say-nothing 7200',
      '/say-nothing 0.001',
      '//slash',
    ),
  },
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
)
const { json } = fc.letrec<{ json: unknown }>(tie => ({
  json: fc.oneof(
    { maxDepth: 2 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('message', 'ok', 'day', ''), tie('json'), { maxKeys: 2 }),
  ),
}))
const comparison = fc.constantFrom('>= 1', '<= 40', '< 0', '3')
const duration = fc.constantFrom('<= 2m', '>= 500ms', '1s')
const tool = fc.constantFrom('book-appointment', 'end_call', 'search_knowledge_base')
const matcher = fc.oneof(fc.constantFrom('any', '>= 1', '/^20/', '{{column}}'), json)
const some = <Fields extends Record<string, fc.Arbitrary<unknown>>>(fields: Fields) =>
  fc.record(fields, { requiredKeys: [] })
const conversation = {
  says: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })),
  not: text,
  heard: text,
  exactly: text,
  calls: fc.oneof(
    fc.dictionary(
      tool,
      fc.oneof(fc.constantFrom('any', 'never'), fc.dictionary(fc.constantFrom('day', 'time', 'x'), matcher)),
      {
        minKeys: 1,
        maxKeys: 2,
      },
    ),
    fc.array(tool, { maxLength: 2 }),
  ),
  knows: fc.constantFrom('When are you open?', 'Where is the workshop?'),
  ends: fc.constantFrom('assistant', 'user', 'system', 'forward'),
  judge: text,
}
const ofTurn = some({
  ...conversation,
  within: fc.constantFrom('2s', '1ms'),
  words: comparison,
  silence: duration,
})
const ofCall = some({
  ...conversation,
  duration,
  interruptions: comparison,
  analysis: some({ summary: matcher, successEvaluation: matcher, structuredData: matcher }),
})
const answer = fc.record({ after: fc.constantFrom('0ms', '3s', '3h') }, { requiredKeys: [] }).chain(after =>
  fc.oneof(
    json.map(returns => ({ ...after, returns })),
    text.map(fails => ({ ...after, fails })),
  ),
)
const seconds = fc.constantFrom(0, 0.4, 10, 60)
const inline = some({
  welcomeMessage: text,
  welcomeMessageMode: fc.constantFrom('assistant-speaks-first', 'assistant-waits-for-user'),
  welcomeMessageInterruptionsEnabled: fc.boolean(),
  dtmfInputEnabled: fc.boolean(),
  maxCallDuration: fc.constantFrom(1, 10),
  idleTimeout: fc.constantFrom(10, 30),
  maxIdleMessagesInSequence: fc.constantFrom(1, 3),
  startSpeakingOptions: some({ waitSeconds: seconds, onNumberSeconds: seconds }),
  stopSpeakingOptions: some({ numberOfWords: fc.constantFrom(0, 3), voiceSeconds: fc.constantFrom(0, 0.5) }),
}).chain(fields =>
  fc.constantFrom(
    fields,
    { ...fields, assistantToolIds: ['${tool:book-appointment}'] },
    {
      ...fields,
      assistantPredefinedTools: { endCall: true, knowledgeBase: true, callForward: true },
      assistantKnowledgeBaseIds: ['${kb:workshop}'],
      callForwardData: [{ phoneNumber: '+12025550142', name: 'Ada' }],
      endCallPhrases: ['goodbye'],
    },
    { ...fields, assistantPredefinedTools: { appointment: true, waitList: true, volumeControl: true } },
  ),
)
const file = fc
  .record(
    {
      assistant: fc.oneof({ weight: 2, arbitrary: fc.constant('front-desk') }, inline),
      variables: fc.dictionary(fc.constantFrom('name', 'day'), text),
      metadata: fc.dictionary(fc.constantFrom('order', 'caller'), json),
      at: fc.constantFrom('2026-01-02T09:30:00Z', '1999-12-31T23:59:59+02:00', '9999-12-31T23:59:00Z'),
      tools: fc.dictionary(
        fc.constant('book-appointment'),
        fc.oneof(answer, fc.array(answer, { minLength: 1, maxLength: 3 })),
      ),
      turns: fc.array(fc.record({ user: line, expect: ofTurn }, { requiredKeys: ['user'] }), {
        maxLength: 6,
      }),
      expect: ofCall,
      repeat: fc.constantFrom({ times: 2, pass: 1 }, { times: 2 }),
      each: fc.array(fc.record({ column: fc.oneof(text, fc.integer()) }), { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['assistant', 'turns'] },
  )
  // Rows of which nothing is used are an error.
  .map(content => (content.each === undefined ? content : { ...content, name: 'Row {{column}}' }))

/** Without what is the machine's. */
const lasting = (results: readonly TestResult[]) =>
  JSON.stringify(results.map(({ durationMs: _, ...result }) => result))

/** Expectations of a turn or a call: a text is one expectation, and so is each item of a list. */
function countExpectations(fields: Readonly<Record<string, unknown>> = {}): number {
  return Object.entries(fields).reduce((count, [key, part]) => {
    if (key === 'calls') return count + (Array.isArray(part) ? 1 : Object.keys(Object(part)).length)
    return count + (Array.isArray(part) ? part.length : 1)
  }, 0)
}

const options = { env: { WEBHOOK_URL: 'http://127.0.0.1:9/' } }

test('every valid test is loaded whole, and has the same verdict on each run', async () => {
  const { cwd, load } = await projectWith({ 'tests/any.test.yaml': '{}' })
  const path = join(cwd, 'tests/any.test.yaml')
  const project = await openProjectForSandbox(cwd, { cwd, ...options })
  const openProject = async () => project
  let ran = 0
  await fc.assert(
    fc.asyncProperty(file, async content => {
      await writeFile(path, JSON.stringify(content))
      const { tests, diagnostics } = await load([path], options)
      for (const { position } of diagnostics) expect(position).toBeDefined()
      if (diagnostics.some(({ severity }) => severity === 'error')) {
        expect(tests).toEqual([])
        return
      }
      expect(tests).toHaveLength(content.each?.length ?? 1)
      const expected = [content, ...content.turns].map(({ expect }) => countExpectations(expect))
      for (const test of tests) {
        const placed = [test, ...test.turns, ...[test, ...test.turns].flatMap(({ expect }) => expect)]
        for (const { location } of placed)
          expect(location).toMatchObject({ file: 'tests/any.test.yaml', position: {} })
        expect([test, ...test.turns.slice(1)].map(({ expect }) => expect.length)).toEqual(expected)
      }
      const results = await run(tests, { openProject })
      ran += results.length
      expect(results.map(result => result.test.id)).toEqual(tests.map(each => each.id))
      for (const { attempts, status } of results) {
        expect(['passed', 'failed', 'undecided']).toContain(status)
        for (const { call, failures } of attempts) {
          expect(failures.filter(({ code }) => code === 'call-failed' || code === 'model-failed')).toEqual([])
          expect(['completed', 'forwarded']).toContain(call.record.status)
          expect(call.endedAt).toBeGreaterThanOrEqual(call.startedAt)
        }
      }
      expect(lasting(await run(tests, { openProject, concurrency: 1 }))).toBe(lasting(results))
    }),
    { numRuns: runs(30) },
  )
  expect(ran).toBeGreaterThan(5)
})

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
})
