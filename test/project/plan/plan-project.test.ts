import { rm } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Section } from '../../../src/project/lockfile/index.ts'
import { isPending } from '../../../src/project/plan/index.ts'
import { writeFiles } from '../../helpers/folders.ts'
import { actionAt, appliedSection, nothingApplied, outline, planOf, withRecorded } from '../apply/applied.ts'
import { folderOf, projectIn, projectOf } from '../apply/project-on-disk.ts'
import { allOf, replan, starter, tool } from '../apply/starter.ts'

test('creates what was never applied in dependency order', async () => {
  const plan = planOf(await projectIn(await folderOf(starter)), nothingApplied)
  expect(outline(plan)).toEqual({ ...allOf('create'), 'kb/faq': 'update' })
  expect(plan.actions.map(({ address, needs }) => [address, needs])).toEqual([
    ['tool/book', []],
    ['kb/faq', []],
    ['assistant/desk', ['tool/book']],
    ['assistant/sales', ['assistant/desk']],
  ])
})

test('an applied project is unchanged', async () => {
  const plan = await replan({})
  expect(outline(plan)).toEqual(allOf('unchanged'))
  expect(plan.actions.some(isPending)).toBe(false)
  expect(plan.actions.flatMap(({ changes }) => changes)).toEqual([])
})

test('planning changes nothing that it was given, reads nothing, and says the same again', async () => {
  const folder = await folderOf(starter)
  const section = deepFrozen(appliedSection(await projectIn(folder)))
  await writeFiles(folder, { ...tool('async: false\n'), 'assistants/new.yaml': 'name: New\n' })
  const project = await projectIn(folder, { settings: Object.freeze({ assistants: 'replace' as const }) })
  const first = planOf(project, section)
  await rm(folder, { recursive: true })
  expect(planOf(project, section)).toEqual(first)
  expect(outline(first)).toMatchObject({ 'tool/book': 'blocked', 'assistant/new': 'create' })
})

test('a plan is plain JSON: written and read it is the same', async () => {
  const plan = await replan(tool('async: false\n'), { assistants: 'replace' })
  expect(plan).toEqual(JSON.parse(JSON.stringify(plan)))
  const first = planOf(await projectOf({ 'knowledge-bases/faq.yaml': newEntries }), nothingApplied)
  expect(first).toEqual(JSON.parse(JSON.stringify(first)))
})

const newEntries =
  'knowledgeBaseId: k\nfaq:\n- {question: Q, answer: A}\n- {id: e1, question: R, answer: A}\n'

test('a plan that creates nothing blocks each creation, and only those', async () => {
  const folder = await folderOf(starter)
  const section = appliedSection(await projectIn(folder))
  await writeFiles(folder, {
    ...tool('async: false\nfunction: {name: book}\nserver: {url: "https://a.example.com"}\n'),
    'tools/new.yaml': 'type: function\n',
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Q, answer: other}\n',
    'knowledge-bases/new.yaml': newEntries.replaceAll('e1', 'e2'),
    'assistants/desk.yaml': starter['assistants/desk.yaml'].replace('Hi', 'Hello'),
  })
  const project = await projectIn(folder, { settings: { assistants: 'replace' } })
  const plan = planOf(project, section, {}, { createsNothing: true })
  expect(outline(plan)).toMatchObject({ 'tool/book': 'update', 'kb/faq': 'update' })
  const blocked = plan.actions.filter(({ action }) => action === 'blocked')
  expect(blocked.map(({ address, why }) => [address, why])).toEqual(
    ['tool/new', 'kb/new', 'assistant/desk', 'assistant/sales'].map(each => [each, { code: 'may-exist' }]),
  )
})

const run = { serial: 3, applied: '2026-03-01T10:00:00.000Z', by: 'ada@desk' }
test.each([
  [run, { serial: 3, at: run.applied, by: run.by }],
  [{ applied: run.applied, by: run.by }, undefined],
  [{ serial: 3, by: run.by }, undefined],
  [{ serial: 3, applied: run.applied }, undefined],
  [{ ...run, applied: 'soon' }, undefined],
])('of a lockfile with %j the last apply is %j', async (stamp, lastApply) => {
  expect(planOf(await projectOf({}), { ...nothingApplied, ...stamp }).lastApply).toEqual(lastApply)
})

test('references see the id in a knowledge base’s file', async () => {
  const files = { ...starter, 'tools/book.yaml': 'type: function\nfunction: {name: "${kb:faq}"}\n' }
  const folder = await folderOf(files)
  const section = appliedSection(await projectIn(folder))
  expect(section.resources['tool/book']?.ids).toEqual({ 'kb/faq': 'k' })
  expect(outline(planOf(await projectIn(folder), section))).toEqual(allOf('unchanged'))
})

test('nothing is planned while it is unknown what the service has of an earlier apply', async () => {
  const project = await projectIn(await folderOf(starter))
  const creating = { body: {}, creating: { body: {} } }
  const resources = { 'tool/z': creating, 'tool/book': creating, 'assistant/desk': { id: 'a1', body: {} } }
  const open = [{ address: 'tool/book' }, { address: 'tool/z' }]
  expect(() => planOf(project, { ...nothingApplied, resources })).toThrow(
    expect.objectContaining({
      kind: 'conflict',
      code: 'apply-unanswered',
      details: { target: 'test', alone: true, open, unknown: ['tool/book', 'tool/z'] },
    }),
  )
})

test.each([
  ['create', true],
  ['update', true],
  ['replace', true],
  ['blocked', true],
  ['unchanged', false],
  ['orphaned', false],
] as const)('what is to be %s is pending: %s', (action, pending) => {
  expect(isPending({ action })).toBe(pending)
})

describe('entries that no file contains', () => {
  test('is orphaned: nothing is done about it', async () => {
    const edit = (section: Section) =>
      withRecorded(
        withRecorded(section, 'tool/old', () => ({ id: 't', body: {} })),
        'kb/old',
        () => ({ body: {} }),
      )
    const plan = await replan({}, {}, { edit })
    const orphaned = (name: string) => ({
      address: name,
      action: 'orphaned',
      changes: [],
      needs: [],
      why: { code: 'no-file' },
    })
    expect(plan.actions.slice(-2)).toStrictEqual([orphaned('kb/old'), { ...orphaned('tool/old'), id: 't' }])
    expect(plan.actions.some(isPending)).toBe(false)
  })

  test('may become a new file: a rename is offered only for the same kind', async () => {
    const edit = (section: Section) => withRecorded(section, 'assistant/old', () => ({ id: 'a', body: {} }))
    const files = { 'tools/new.yaml': 'type: function\n' }
    expect(actionAt(await replan(files, {}, { edit }), 'assistant/old').why).toEqual({ code: 'no-file' })
    const plan = await replan({ ...files, 'assistants/new.yaml': 'name: N\n' }, {}, { edit })
    expect(actionAt(plan, 'assistant/old').why).toEqual({ code: 'no-file', heir: 'assistant/new' })
    const two = { ...files, 'assistants/new.yaml': 'name: N\n', 'assistants/other.yaml': 'name: O\n' }
    expect(actionAt(await replan(two, {}, { edit }), 'assistant/old').why).toEqual({ code: 'no-file' })
  })

  test('and never had an id does not belong to a new file', async () => {
    const edit = (section: Section) => withRecorded(section, 'assistant/old', () => ({ body: {} }))
    const plan = await replan({ 'assistants/new.yaml': 'name: N\n' }, {}, { edit })
    expect(actionAt(plan, 'assistant/old').why).toEqual({ code: 'no-file' })
  })
})

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const field of Object.values(value)) deepFrozen(field)
  return Object.freeze(value)
}
