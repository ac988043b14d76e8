import { expect, test } from 'vitest'
import {
  explain,
  explainedAction,
  explainedPlan,
  hintOf,
  skipText,
  summaryText,
} from '../../src/messages/action.ts'
import type { ChangeNote, Why } from '../../src/plan/index.ts'

test.each<[Why, string, readonly string[]]>([
  [
    { code: 'fixed-fields', fields: ['server', 'messages'] },
    'take server and messages from a tool',
    ['such as server: {}', '--forget tool/a=t1'],
  ],
  [{ code: 'fixed-fields', fields: ['messages'] }, 'take messages', ['such as messages: []', '--forget']],
  [{ code: 'patched-fields', fields: ['a', 'b'] }, 'cannot take a and b away', ['a value', 'PUT']],
  [{ code: 'replaced' }, 't1 stays', []],
  [
    { code: 'no-assistant-update' },
    'no update',
    ['assistants: replace', 'PATCH /assistants/v1/assistants/{id}'],
  ],
  [
    { code: 'renamed-file', former: 'kb/old' },
    'those of kb/old',
    ['--adopt tool/a=kb/old', '--forget kb/old'],
  ],
  [{ code: 'other-knowledge-base' }, 'belong to the knowledge base', ['back', '--forget tool/a']],
  [{ code: 'no-file' }, 'no delete', ['--forget tool/a']],
  [{ code: 'no-file', heir: 'tool/new' }, 'no delete', ['--adopt tool/new=t1', '--forget tool/a']],
])('%j has a reason, and choices', (why, reason, choices) => {
  const found = explain(why, { address: 'tool/a', id: 't1' })
  expect(found.reason).toContain(reason)
  expect(found.choices ?? []).toEqual(choices.map(choice => expect.stringContaining(choice)))
})

test('an action is explained by code, reason and choices, in place of its why', () => {
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
      choices: ['callwright apply --forget tool/a takes it out of the lockfile'],
    },
  ])
  expect(hintOf({ choices: ['one', 'two'] })).toBe('one; or: two')
})
test.each<[ChangeNote, string]>([
  [{ code: 'unanswered-update' }, 'an earlier update ended without an answer; it is sent again to be sure'],
  [
    { code: 'other-value', references: ['${env:A}', '${env:B}'] },
    'the value of ${env:A} or ${env:B} changed',
  ],
  [{ code: 'new-id', reference: '${tool:book}' }, '${tool:book} gets a new id'],
  [{ code: 'other-id', reference: '${tool:book}', id: 't2' }, '${tool:book} is t2 now'],
  [{ code: 'other-id', reference: '${kb:faq}', id: undefined }, '${kb:faq} is another knowledge base now'],
  [{ code: 'other-ids' }, 'the id of a resource that it names changed'],
  [{ code: 'not-recorded' }, 'it has an id and no earlier push is known; it is updated to be sure'],
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

test('what was done', () => {
  expect(summaryText({ code: 'created', former: undefined })).toBe('created')
  expect(summaryText({ code: 'created', former: 't1' })).toBe('created again; t1 is still at the service')
  expect(summaryText({ code: 'pushed', inserted: 2, updated: 1 })).toBe('2 entries inserted, 1 entry updated')
  expect(summaryText({ code: 'pushed', inserted: 0, updated: 0 })).toBe('unchanged')
})

test('why something was skipped', () => {
  expect(skipText({ code: 'need', address: 'tool/book', status: 'skipped' })).toBe(
    'it needs tool/book, which was skipped',
  )
  expect(skipText({ code: 'lockfile-not-written' })).toBe('the lockfile cannot be written')
})
