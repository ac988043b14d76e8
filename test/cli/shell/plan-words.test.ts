import { expect, test } from 'vitest'
import {
  explain,
  explainedAction,
  explainedPlan,
  formatChoicesHint,
  skipText,
  summaryText,
} from '../../../src/cli/shell/plan-words.ts'
import type { ChangeNote, Why } from '../../../src/project/plan/index.ts'

test.each<[Why, string, readonly string[]]>([
  [
    { code: 'fixed-fields', fields: ['server', 'messages'] },
    'cannot remove server and messages from a tool',
    ['such as server: {}', '--forget tool/a=t1'],
  ],
  [{ code: 'fixed-fields', fields: ['messages'] }, 'remove messages', ['such as messages: []', '--forget']],
  [{ code: 'patched-fields', fields: ['a', 'b'] }, 'cannot remove a and b', ['a value', 'PUT']],
  [{ code: 'replaced' }, 't1 remains', []],
  [
    { code: 'no-assistant-update' },
    'cannot update assistants',
    ['assistants: replace', 'PATCH /assistants/v1/assistants/{id}'],
  ],
  [
    { code: 'renamed-file', former: 'kb/old' },
    'belong to kb/old',
    ['--adopt tool/a=kb/old', '--forget kb/old'],
  ],
  [{ code: 'other-knowledge-base' }, 'ids of the knowledge base', ['back', '--forget tool/a']],
  [{ code: 'no-file' }, 'cannot delete it', ['--forget tool/a']],
  [{ code: 'no-file', heir: 'tool/new' }, 'cannot delete it', ['--adopt tool/new=t1', '--forget tool/a']],
])('%j has a reason, and choices', (why, reason, choices) => {
  const found = explain(why, { address: 'tool/a', id: 't1' })
  expect(found.reason).toContain(reason)
  expect(found.choices ?? []).toEqual(choices.map(choice => expect.stringContaining(choice)))
})

test('explains an action by code, reason and choices instead of a text', () => {
  const common = { address: 'tool/a', changes: [], needs: [] } as const
  const plan = {
    target: 'live',
    baseUrl: undefined,
    actions: [
      { ...common, action: 'unchanged' },
      { ...common, action: 'orphaned', why: { code: 'no-file' } },
    ],
  } as const
  const { actions } = explainedPlan(plan)
  expect(actions).toEqual([
    { ...common, action: 'unchanged' },
    {
      ...common,
      action: 'orphaned',
      code: 'no-file',
      reason: expect.any(String),
      choices: ['remove it from the lockfile: callyard apply --forget tool/a'],
    },
  ])
  expect(formatChoicesHint({ choices: ['one', 'two'] })).toBe('one; or: two')
})
test.each<[ChangeNote, string]>([
  [{ code: 'unanswered-update' }, 'what the service has is unknown, so it is sent again'],
  [
    { code: 'other-value', references: ['${env:A}', '${env:B}'] },
    'the value of ${env:A} or ${env:B} changed',
  ],
  [{ code: 'new-id', reference: '${tool:book}' }, '${tool:book} gets a new id'],
  [{ code: 'other-id', reference: '${tool:book}', id: 't2' }, '${tool:book} is now t2'],
  [{ code: 'other-id', reference: '${kb:faq}', id: undefined }, '${kb:faq} is now another knowledge base'],
  [{ code: 'other-ids' }, 'the id of a referenced resource changed'],
  [{ code: 'not-recorded' }, 'it has an id but no earlier push is recorded, so it is updated'],
])('a note says why something is sent: %j', (note, said) => {
  const change = { path: ['answer'], kind: 'changed', notes: [note] } as const
  const explained = explainedAction({
    address: 'kb/faq',
    action: 'update',
    changes: [change],
    entries: [{ action: 'update', note, changes: [change] }],
    needs: [],
  })
  expect(explained).toEqual({
    address: 'kb/faq',
    action: 'update',
    changes: [{ ...change, notes: [said] }],
    entries: [{ action: 'update', note: said, changes: [{ ...change, notes: [said] }] }],
    needs: [],
  })
})

test('result', () => {
  expect(summaryText({ code: 'created', former: undefined })).toBe('created')
  expect(summaryText({ code: 'created', former: 't1' })).toBe('created again; t1 remains at the service')
  expect(summaryText({ code: 'pushed', inserted: 2, updated: 1 })).toBe('2 entries inserted, 1 entry updated')
  expect(summaryText({ code: 'pushed', inserted: 0, updated: 0 })).toBe('unchanged')
})

test('why something was skipped', () => {
  expect(skipText({ code: 'need', address: 'tool/book', status: 'skipped' })).toBe(
    'it needs tool/book, which was skipped',
  )
  expect(skipText({ code: 'lockfile-not-written' })).toBe('the lockfile cannot be written')
})
