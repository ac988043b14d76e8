import { describe, expect, test } from 'vitest'
import type { Section } from '../../../src/project/lockfile/index.ts'
import { actionAt, outline, withRecorded } from '../apply/applied.ts'
import { allOf, replan, starter } from '../apply/starter.ts'

describe('an assistant that changed', () => {
  const changed = { 'assistants/desk.yaml': starter['assistants/desk.yaml'].replace('Hi', 'Hello') }
  const lost = (field: string) => ({
    'assistants/desk.yaml': starter['assistants/desk.yaml'].replace(new RegExp(`^${field}:.*\n`, 'm'), ''),
  })
  const endpoint = (method: string) => ({
    endpoints: { updateAssistant: `${method} /assistants/v1/assistants/{id}` },
  })

  test('is blocked; what refers to it stays', async () => {
    const plan = await replan(changed)
    expect(outline(plan)).toEqual({ ...allOf('unchanged'), 'assistant/desk': 'blocked' })
    const { why, changes } = actionAt(plan, 'assistant/desk')
    expect(why).toEqual({ code: 'no-assistant-update' })
    expect(changes).toMatchObject([{ path: ['welcomeMessage'], before: 'Hi', after: 'Hello' }])
  })

  test('is replaced if the project says so, and resources that refer to it are planned again', async () => {
    const plan = await replan(changed, { assistants: 'replace' })
    expect(outline(plan)).toEqual({
      ...allOf('unchanged'),
      'assistant/desk': 'replace',
      'assistant/sales': 'replace',
    })
    expect(actionAt(plan, 'assistant/desk')).toMatchObject({
      id: 'id of assistant/desk',
      why: { code: 'replaced' },
    })
  })

  test.each(['PATCH', 'PUT'])('is updated by a declared %s, even if it might be replaced', async method => {
    const plan = await replan(changed, { ...endpoint(method), assistants: 'replace' })
    expect(outline(plan)).toEqual({ ...allOf('unchanged'), 'assistant/desk': 'update' })
  })

  test.each([
    ['welcomeMessage', 'PATCH', 'update'],
    ['welcomeMessage', 'PUT', 'update'],
    ['assistantSystemPrompt', 'PATCH', 'blocked'],
    ['assistantSystemPrompt', 'PUT', 'update'],
  ])('without %s by %s: %s', async (field, method, action) => {
    expect(actionAt(await replan(lost(field), endpoint(method)), 'assistant/desk')).toMatchObject({
      action,
      changes: [{ kind: 'removed', path: [field] }],
    })
  })

  test('by a PATCH that cannot take fields away is blocked', async () => {
    const files = { 'assistants/desk.yaml': 'name: Desk\nwelcomeMessage: Hi\n' }
    expect(actionAt(await replan(files, endpoint('PATCH')), 'assistant/desk')).toMatchObject({
      action: 'blocked',
      why: { code: 'patched-fields', fields: ['assistantSystemPrompt', 'assistantToolIds'] },
    })
  })

  test('and has no id yet is created', async () => {
    const edit = (section: Section) =>
      withRecorded(section, 'assistant/desk', recorded => ({ body: recorded.body }))
    expect(actionAt(await replan({}, {}, { edit }), 'assistant/desk')).toMatchObject({
      action: 'create',
      changes: [],
    })
  })
})
