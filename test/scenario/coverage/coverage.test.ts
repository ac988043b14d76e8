import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { checkFile } from '../../../src/files/source/index.ts'
import type { KindName } from '../../../src/interface/words.ts'
import { type Coverage, computeCoverage, type TestResult } from '../../../src/scenario/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { madeResult, madeTurn } from '../made-results.ts'

const files = {
  'assistants/front-desk.yaml': `name: Front desk
welcomeMessage: Hello {{name}}, {{name}}
endCallPhrases: [goodbye, that is all]
assistantPredefinedTools: { endCall: true, callForward: true }
callForwardData:
  - { name: Sales, phoneNumber: "+12025550111" }
  - { name: Service, phoneNumber: "+12025550112" }
idleTimeout: 10
userInterruptionAckPlan: { enabled: true, phrases: [Sure, One moment] }
assistantAnalysis: { summary: { enabled: true }, successEvaluation: { enabled: false } }
assistantSystemPrompt: Be kind.
`,
  'tools/book.yaml': 'type: function\nasync: false\nfunction: { name: book_appointment }\n',
  'knowledge-bases/workshop.yaml': `knowledgeBaseId: workshop
faq:
  - { question: When are you open?, answer: Nine to six. }
  - { question: Where are you?, answer: Canal Street. }
`,
}

const kindOf: Readonly<Record<string, KindName>> = {
  assistants: 'assistant',
  tools: 'tool',
  'knowledge-bases': 'knowledge-base',
}

async function cover(results: (project: string) => readonly TestResult[]): Promise<Coverage> {
  const folder = await temporaryFolder(files)
  const checked = await Promise.all(
    Object.keys(files).map(file =>
      checkFile(file, kindOf[dirname(file)] ?? 'assistant', { cwd: folder, env: {}, vocabulary: {} }),
    ),
  )
  return computeCoverage([{ folder, files: checked }], results(folder))
}

const uncovered = ({ files }: Coverage) =>
  files.flatMap(file =>
    file.uncovered.map(
      ({ kind, name, position }) => `${file.file}:${position?.line} ${kind}${name === '' ? '' : ` ${name}`}`,
    ),
  )

const all = [
  'assistants/front-desk.yaml:1 assistant',
  'assistants/front-desk.yaml:2 variable name',
  'assistants/front-desk.yaml:3 end-phrase goodbye',
  'assistants/front-desk.yaml:3 end-phrase that is all',
  'assistants/front-desk.yaml:6 forward Sales',
  'assistants/front-desk.yaml:7 forward Service',
  'assistants/front-desk.yaml:8 idle-message',
  'assistants/front-desk.yaml:9 interruption-phrase Sure',
  'assistants/front-desk.yaml:9 interruption-phrase One moment',
  'assistants/front-desk.yaml:10 analysis summary',
  'assistants/front-desk.yaml:11 prompt',
  'tools/book.yaml:3 tool book_appointment',
  'knowledge-bases/workshop.yaml:3 entry When are you open?',
  'knowledge-bases/workshop.yaml:4 entry Where are you?',
]

/** Coverage of one call of a test. */
async function coveredBy(...[turns, changes = {}]: Parameters<typeof madeResult>) {
  const coverage = await cover(project => [
    madeResult(turns, { ...changes, test: { project, ...changes.test } }),
  ])
  expect(coverage.total).toBe(all.length)
  expect(coverage.covered).toBe(all.length - uncovered(coverage).length)
  return all.filter(item => !uncovered(coverage).includes(item)).map(item => item.replace(/^\S+ /, ''))
}

test('without tests nothing is covered, and every item has a line', async () => {
  expect(uncovered(await cover(() => []))).toEqual(all)
})

test('ignores skipped tests and those of other projects and assistants', async () => {
  expect(await coveredBy([], { test: { project: '/other' } })).toEqual([])
  expect(await coveredBy([], { test: { assistant: { name: 'other' } } })).toEqual([])
  expect(await coveredBy([], { status: 'skipped', attempts: [] })).toEqual([])
})

test('a call covers its assistant and the variables it sets', async () => {
  expect(await coveredBy([], { record: { unsetVariables: ['name'] } })).toEqual(['assistant'])
  expect(await coveredBy([])).toEqual(['assistant', 'variable name'])
})

test('a prompt is covered by a test with a model: rules read none', async () => {
  expect(await coveredBy([], { test: { model: 'recorded' } })).toEqual([
    'assistant',
    'variable name',
    'prompt',
  ])
})

test('an end phrase is covered by the line that ended the call', async () => {
  const saying = (text: string, callEndTriggerBy: string) =>
    coveredBy([], {
      record: {
        unsetVariables: ['name'],
        callEndTriggerBy,
        messages: [{ messageId: '1', role: 'user', text, timestamp: '2026-01-01T00:00:00.000Z' }],
      },
    })
  expect(await saying('Well, that is ALL!', 'assistant')).toEqual(['assistant', 'end-phrase that is all'])
  expect(await saying('goodbye', 'user')).toEqual(['assistant'])
  expect(await saying('goodbyes', 'assistant')).toEqual(['assistant'])
})

test('covers forwards, idle messages, acknowledged interruptions and analyses', async () => {
  const record = { unsetVariables: ['name'], forwardedTo: { name: 'Service', phoneNumber: '+12025550112' } }
  const matcher = { kind: 'object', fields: { summary: { kind: 'any' } } } as const
  const place = { file: 'tests/made.test.yaml', path: [], position: undefined }
  expect(
    await coveredBy([madeTurn(undefined, 'Are you still there?'), madeTurn('/interrupt Wait', 'Sure')], {
      record,
      test: { expect: [{ kind: 'analysis', matcher, location: place }] },
    }),
  ).toEqual(['assistant', 'forward Service', 'idle-message', 'interruption-phrase Sure', 'analysis summary'])
})

test('a tool is covered when called, an entry when used in a reply', async () => {
  const entry = (question: string) => ({ id: question, question, answer: '' })
  const hit = (question: string) => ({ entry: entry(question), isExact: false, score: 1, share: 1 })
  const hits = [hit('When are you open?'), hit('Where are you?')]
  const turn = (used: boolean) =>
    madeTurn('Hours?', 'Nine', {
      tools: [{ id: '1', name: 'book_appointment', arguments: {}, content: '{}', from: 0, until: 1 }],
      searches: [{ question: 'Hours?', hits, used }],
    })
  const record = { unsetVariables: ['name'] }
  expect(await coveredBy([turn(false)], { record })).toEqual(['assistant', 'tool book_appointment'])
  expect(await coveredBy([turn(true)], { record })).toEqual([
    'assistant',
    'tool book_appointment',
    'entry When are you open?',
  ])
})
