import { expect, test } from 'vitest'
import { explain, formatChoicesHint, planDocument } from '../../../src/cli/shell/plan-words.ts'
import type { Why } from '../../../src/project/plan/index.ts'

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
  const found = explain(why, { address: 'tool/a', id: 't1' }, {})
  expect(found.reason).toContain(reason)
  expect(found.choices?.map(({ hint }) => hint) ?? []).toEqual(
    choices.map(choice => expect.stringContaining(choice)),
  )
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
  const { actions } = planDocument(plan, {})
  expect(actions).toEqual([
    { ...common, action: 'unchanged' },
    {
      ...common,
      action: 'orphaned',
      code: 'no-file',
      reason: expect.any(String),
      choices: [
        {
          code: 'forget',
          address: 'tool/a',
          hint: 'remove it from the lockfile: callyard apply --forget tool/a --target live',
          command: ['apply', '--forget', 'tool/a', '--target', 'live'],
        },
      ],
    },
  ])
  expect(formatChoicesHint([{ hint: 'one' }, { hint: 'two' }])).toBe('one; or: two')
})
