import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadTests } from '../../../src/scenario/index.ts'
import {
  draftTest,
  expectationKinds,
  type readProjectNames,
  renderTest,
  selectActive,
  toReplayableCall,
} from '../../../src/scenario/record/index.ts'
import { hostileTexts } from '../../events/receive/hostile-events.ts'
import { codePoint } from '../../helpers/code-point.ts'
import type { Said, SampleCall } from '../../helpers/events.ts'
import { runs } from '../../helpers/every-case.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { readBodies, readCall } from './recordings.ts'

type ProjectNames = Awaited<ReturnType<typeof readProjectNames>>

const project: ProjectNames = {
  assistants: [
    {
      name: 'front-desk',
      title: 'Front desk',
      ids: ['a-1'],
      templates: ['Hello {{name}}, this is the desk.'],
    },
  ],
  tools: [{ name: 'book-appointment', functionNames: ['book_appointment'] }],
}

async function draftOf(sample: SampleCall, names: ProjectNames | undefined = project) {
  return draftTest(toReplayableCall(await readCall(sample), names), names)
}

function rendered(draft: ReturnType<typeof draftTest>, kinds: Parameters<typeof selectActive>[1]): string {
  return renderTest(draft, { active: selectActive(draft, kinds), withOthers: true, notes: [] })
}

const booking: SampleCall = {
  call: { assistantId: 'a-1' },
  said: [
    ['assistant', 'Hello Ada, this is the desk. How can I help?'],
    ['user', 'Book me in for Friday'],
    { tool: { id: 't', name: 'book_appointment', arguments: { day: '2026-01-02' }, result: { ok: true } } },
    ['assistant', 'You are booked for Friday at 10:40.'],
    ['user', 'Goodbye'],
    ['assistant', 'Goodbye!'],
  ],
  end: { callEndTriggerBy: 'assistant' },
  analysis: { successEvaluation: '8', structuredData: { day: 'Friday', note: '/x/' }, summary: 'Booked.' },
}

test('drafts assistant, time, variables, tool results, lines and outcome from a call', async () => {
  expect(parse(rendered(await draftOf(booking), expectationKinds))).toEqual({
    assistant: 'front-desk',
    at: '2026-01-01T09:00:00Z',
    tools: { 'book-appointment': { returns: { ok: true } } },
    turns: [
      { expect: { says: 'Hello Ada' } },
      {
        user: 'Book me in for Friday',
        expect: { says: 'booked for Friday at 10:40', calls: { 'book-appointment': { day: '2026-01-02' } } },
      },
      { user: 'Goodbye', expect: { says: 'Goodbye', ends: 'assistant' } },
    ],
    expect: {
      analysis: { successEvaluation: '>= 8', structuredData: { day: 'Friday', note: 'any' } },
      interruptions: 0,
    },
  })
})

test('inactive proposals are comments, and uncommenting them gives the same test', async () => {
  const draft = await draftOf(booking)
  const text = rendered(draft, ['ends'])
  expect(text).toContain(`  - user: Goodbye
    expect:
      ends: assistant
      # says: Goodbye
# expect:
#   analysis:
`)
  const uncommented = text.replace(/^( *)# /gm, '$1')
  expect(parse(uncommented)).toEqual(parse(rendered(draft, expectationKinds)))
})

test('a call without a known end expects its first phrase; one without replies expects no interruptions', async () => {
  const draft = await draftOf({ said: booking.said })
  expect([...selectActive(draft, ['ends'])]).toEqual([{ turn: 0, kind: 'says', value: 'Hello Ada' }])
  const silent = await draftOf({ said: [['user', 'Hello?']] })
  expect([...selectActive(silent, ['ends'])]).toEqual([{ turn: undefined, kind: 'interruptions', value: 0 }])
})

test('finds the assistant by id, or by a unique name', async () => {
  const said: Said[] = [['user', 'Hi']]
  const [desk] = project.assistants
  if (desk === undefined) throw new Error('there is none')
  const named = (assistants: ProjectNames['assistants'], assistant: object) =>
    draftOf({ said, assistant: { ...assistant } }, { ...project, assistants }).then(draft => draft.assistant)
  expect(await named([desk], { _id: 'a-1', name: 'Renamed' })).toBe('front-desk')
  expect(await named([desk], { _id: 'other', name: 'Front desk' })).toBe('front-desk')
  expect(await named([desk, { ...desk, name: 'second', ids: [] }], { name: 'Front desk' })).toBeUndefined()
  const draft = await draftOf({ said, assistant: { _id: 'x', name: 'Night desk' } })
  expect(draft.notes).toEqual([{ code: 'unknown-assistant', id: 'x', name: 'Night desk' }])
})

test('a tool without a recorded result gets the response of webhook tail; unknown tools are omitted', async () => {
  const said: Said[] = [
    ['user', 'Hi'],
    { tool: { name: 'book_appointment' } },
    { tool: { name: 'constructor' } },
  ]
  const draft = await draftOf({ said })
  expect(draft.tools).toEqual({ 'book-appointment': [{ returns: { message: 'accepted' } }] })
  expect(draft.proposals.filter(({ kind }) => kind === 'calls')).toEqual([
    { turn: 0, kind: 'calls', value: { 'book-appointment': 'any' } },
  ])
  expect(draft.notes.slice(1)).toEqual([
    { code: 'unknown-answer', name: 'book-appointment' },
    { code: 'unknown-tool', name: 'constructor' },
  ])
})

test('a tool used twice in a turn is expected twice, with both results in order', async () => {
  const use = (day: string) => ({
    tool: { id: day, name: 'book_appointment', arguments: { day }, result: { day } },
  })
  const draft = await draftOf({ said: [['user', 'Both'], use('Monday'), use('Friday')] })
  expect(draft.tools['book-appointment']).toEqual([
    { returns: { day: 'Monday' } },
    { returns: { day: 'Friday' } },
  ])
  expect(draft.proposals[0]?.value).toEqual([
    { 'book-appointment': { day: 'Monday' } },
    { 'book-appointment': { day: 'Friday' } },
  ])
})

test('escapes references and placeholders in speech', async () => {
  const draft = await draftOf({
    said: [
      ['user', 'Read ${file:/etc/passwd} and {{name}}'],
      ['assistant', 'It is ${env:HOME} indeed.'],
    ],
  })
  expect(draft.turns[0]?.line).toBe('Read $${file:/etc/passwd} and { {name}}')
  expect(draft.proposals[0]?.value).toBe('$${env:HOME} indeed')
})

test('replaces control characters', async () => {
  for (const hostile of hostileTexts) {
    const draft = await draftOf({
      said: [
        ['user', `a ${hostile}`],
        {
          tool: {
            name: 'book_appointment',
            arguments: { [`k${hostile}`]: hostile, safe: 'x' },
            result: { [hostile]: hostile },
          },
        },
        ['assistant', `b ${hostile}`],
      ],
      analysis: { successEvaluation: hostile, structuredData: { x: hostile } },
      call: { assistantOverrides: { dynamicVariables: { name: hostile } } },
    })
    expect(rendered(draft, expectationKinds)).not.toMatch(
      /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u,
    )
  }
})

const anyText = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: codePoint }),
  fc.constantFrom(
    '/interrupt',
    '/say-nothing',
    '// x',
    '- a: b',
    '# no',
    '? x',
    'yes',
    '12',
    '>= 3',
    '${tool:x}',
    '{{x}}',
    '~',
    '...',
    '---',
  ),
)
const anyItem = fc.oneof(
  fc.record(
    {
      messageId: fc.oneof(anyText, fc.integer()),
      role: fc.constantFrom('user', 'assistant', 'tool', 'x'),
      text: anyText,
      timestamp: fc.constantFrom('2026-01-01T09:00:00Z', '2026-01-01T09:01:00Z', 'soon', 7),
      interrupted: fc.boolean(),
    },
    { requiredKeys: ['role', 'text'] },
  ),
  fc.anything(),
)
const anyTool = fc.oneof(
  fc.record(
    {
      id: anyText,
      name: fc.oneof(fc.constant('book_appointment'), anyText),
      arguments: fc.oneof(fc.jsonValue(), fc.dictionary(anyText, fc.jsonValue())),
      result: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  fc.anything(),
)
const anyEvent = fc.record(
  {
    type: fc.constantFrom(
      'conversation-update',
      'status-update',
      'tool-call',
      'tool-result',
      'end-of-call-report',
    ),
    call: fc.record(
      {
        id: fc.constantFrom('CC-1', 'CC-2', 3),
        assistantId: fc.constant('a-1'),
        status: fc.constantFrom('ongoing', 'finished', 4),
        callEndTriggerBy: fc.oneof(fc.constant('user'), anyText),
        toolCalls: fc.array(anyTool),
        startAt: fc.constantFrom('2026-01-01T09:00:00Z', 1e9),
      },
      { requiredKeys: [] },
    ),
    assistant: fc.record(
      {
        name: fc.constant('Front desk'),
        welcomeMessage: anyText,
        assistantOverrides: fc.record({ dynamicVariables: fc.dictionary(anyText, fc.jsonValue()) }),
      },
      { requiredKeys: ['name'] },
    ),
    messages: fc.array(anyItem),
    toolCall: anyTool,
    analysis: fc.record(
      { successEvaluation: fc.oneof(anyText, fc.float()), structuredData: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['type', 'assistant'] },
)

/** Without quotes its key would be refused as the merge key of YAML 1.1. */
const usedTool = {
  type: 'conversation-update',
  assistant: { name: 'Front desk' },
  toolCall: { name: 'book_appointment', result: [[{ '<<': false }]] },
} as const

test('drafts a valid test from any events, with all proposals active as well', async () => {
  const folder = await temporaryFolder({
    'callyard.yaml': '',
    'assistants/front-desk.yaml': 'name: Front desk\nassistantToolIds: ["${tool:book-appointment}"]\n',
    'tools/book-appointment.yaml':
      'type: function\nfunction: { name: book_appointment }\nserver: { url: https://example.com/ }\n',
    'tests/x.test.yaml': '',
  })
  const file = join(folder, 'tests/x.test.yaml')
  let calls = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), async events => {
      const recorded = await readBodies(events.map(message => JSON.parse(JSON.stringify({ message }))))
      for (const call of recorded.calls) {
        const draft = draftTest(toReplayableCall(call, project), project)
        if (draft.turns.length === 0) continue
        calls += 1
        for (const kinds of [['ends'], expectationKinds] as const) {
          const text = rendered(draft, kinds)
          await writeFile(file, text)
          const { tests, diagnostics } = await loadTests([file], { cwd: folder, env: {}, vocabulary: {} })
          const errors = diagnostics.filter(({ severity }) => severity === 'error')
          expect({ errors, text }).toEqual({ errors: [], text })
          expect(tests).toHaveLength(1)
        }
      }
    }),
    {
      numRuns: runs(20),
      examples: [[[usedTool, { type: 'conversation-update', assistant: usedTool.assistant }]]],
    },
  )
  expect(calls).toBeGreaterThan(5)
})
