import { expect, test } from 'vitest'
import { explain, explainedPlan, hintOf } from '../../../src/cli/messages/action.ts'
import type { Why } from '../../../src/project/index.ts'

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
  expect(found.choices).toEqual(choices.map(choice => expect.stringContaining(choice)))
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
