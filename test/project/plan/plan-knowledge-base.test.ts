import { describe, expect, test } from 'vitest'
import type { Section } from '../../../src/project/lockfile/lockfile.ts'
import { isPending } from '../../../src/project/plan/actions.ts'
import { actionAt, appliedSection, nothingApplied, planOf, withRecorded } from '../applied.ts'
import { folderOf, projectIn, projectOf, writeFiles } from '../project-on-disk.ts'

const fileName = 'knowledge-bases/faq.yaml'
const two = '- {id: e1, question: A, answer: a}\n- {id: e2, question: B, answer: b}\n'

function file(faq: string, id = 'k'): Record<string, string> {
  return { [fileName]: `knowledgeBaseId: ${id}\nfaq:\n${faq}` }
}

/** A knowledge base that was applied as it stands in one file, planned as it stands in another. */
async function replan(
  before: Record<string, string>,
  after: Record<string, string>,
  {
    env = {},
    edit = section => section,
  }: { env?: Record<string, string>; edit?: (section: Section) => Section } = {},
) {
  const folder = await folderOf(before)
  const section = appliedSection(await projectIn(folder, { env }))
  await writeFiles(folder, after)
  return actionAt(planOf(await projectIn(folder, { env }), edit(section)), 'kb/faq')
}

describe('entries', () => {
  test('of a knowledge base that was never applied: those without an id are new, the others sent once more', async () => {
    const project = await projectOf(file('- {question: A, answer: a}\n- {id: e2, question: B, answer: b}\n'))
    expect(actionAt(planOf(project, nothingApplied), 'kb/faq')).toMatchObject({
      action: 'update',
      entries: [
        { action: 'insert', question: 'A', line: 3 },
        { action: 'update', id: 'e2', question: 'B', line: 4 },
      ],
      unchangedEntries: 0,
    })
  })

  test('that are as they were are unchanged, in any order, with their fields in any order', async () => {
    const turned = '- {answer: b, id: e2, question: B}\n- {question: A, answer: a, id: e1}\n'
    const action = await replan(file(two), file(turned))
    expect(action).toMatchObject({ action: 'unchanged', entries: [], unchangedEntries: 2, changes: [] })
  })

  test('that are new or changed are named; those that are gone are told, and nothing is done about them', async () => {
    const after = '- {id: e1, question: A, answer: other}\n- {question: C, answer: c}\n'
    const action = await replan(file(two), file(after))
    expect(action).toMatchObject({
      action: 'update',
      entries: [
        { action: 'insert', question: 'C' },
        { action: 'update', id: 'e1', question: 'A' },
        { action: 'orphaned', id: 'e2' },
      ],
    })
    const fewer = await replan(file(two), file('- {id: e1, question: A, answer: a}\n'))
    expect(fewer).toMatchObject({ action: 'unchanged', entries: [{ action: 'orphaned', id: 'e2' }] })
    expect(isPending(fewer)).toBe(false)
  })

  test('that hold text from the environment change with it, and show it nowhere', async () => {
    const faq = file('- {id: e1, question: "${env:Q}", answer: a}\n')
    const folder = await folderOf(faq)
    const section = appliedSection(await projectIn(folder, { env: { Q: 'secret 1' } }))
    const action = async (value: string) =>
      actionAt(planOf(await projectIn(folder, { env: { Q: value } }), section), 'kb/faq')
    expect(await action('secret 1')).toMatchObject({ action: 'unchanged' })
    const changed = await action('secret 2')
    expect(changed).toMatchObject({ entries: [{ action: 'update', id: 'e1', question: '${env:Q}' }] })
    expect(JSON.stringify([section, changed])).not.toContain('secret')
  })
})

describe('another target', () => {
  const other = (entries: Section['resources']['kb/x']['entries']): Section => ({
    ...nothingApplied,
    resources: { 'kb/faq': { body: { knowledgeBaseId: 'k' }, entries } },
  })

  test('has given the file its ids: here the entries are new', async () => {
    const plan = planOf(await projectOf(file(two)), nothingApplied, { first: other({ e1: 'h', e2: 'h' }) })
    const { entries } = actionAt(plan, 'kb/faq')
    expect(entries).toEqual([
      { action: 'insert', question: 'A', line: 3 },
      { action: 'insert', question: 'B', line: 4 },
    ])
  })

  test('and this one has its own ids for them: they are updated under those', async () => {
    const mine = other({ e1: { id: 'm1', hash: 'old' }, gone: { id: 'm9', hash: 'old' } })
    const plan = planOf(await projectOf(file(two)), mine, { first: other({ e1: 'h', e2: 'h', gone: 'h' }) })
    expect(actionAt(plan, 'kb/faq').entries).toEqual([
      { action: 'insert', question: 'B', line: 4 },
      { action: 'update', id: 'm1', question: 'A', line: 3 },
      { action: 'orphaned', id: 'm9' },
    ])
  })
})

describe('the knowledge base itself', () => {
  test('that is another one now is blocked: the ids of its entries are the old one’s', async () => {
    const action = await replan(file(two), file(two, 'other'))
    expect(action).toMatchObject({
      action: 'blocked',
      changes: [{ path: ['knowledgeBaseId'], kind: 'changed', before: 'k', after: 'other' }],
      choices: ['change knowledgeBaseId back', expect.stringContaining('--forget kb/faq')],
    })
    expect(action.entries).toBeUndefined()
  })

  test('whose id came from the environment is another one when that changed', async () => {
    const faq = file(two, '${env:KB}')
    const folder = await folderOf(faq)
    const section = appliedSection(await projectIn(folder, { env: { KB: 'k1', OTHER: 'x' } }))
    const plan = planOf(await projectIn(folder, { env: { KB: 'k2' } }), section)
    expect(actionAt(plan, 'kb/faq')).toMatchObject({
      action: 'blocked',
      changes: [{ notes: ['the value of ${env:KB} changed'] }],
    })
  })

  test('that was forgotten is filled again, whatever ids its file has', async () => {
    const edit = (section: Section) =>
      withRecorded(section, 'kb/faq', () => ({ body: {}, entries: { e1: null, e2: null } }))
    const action = await replan(file(two), file(two, 'other'), { edit })
    expect(action).toMatchObject({
      action: 'update',
      entries: [
        { action: 'insert', question: 'A' },
        { action: 'insert', question: 'B' },
      ],
    })
  })

  test('whose entries include files and variables has none of that on record beside them', async () => {
    const faq = file('- {id: e1, question: Q, answer: "${env:A} ${file:a.md}"}\n')
    const folder = await folderOf({ ...faq, 'knowledge-bases/a.md': 'text' })
    const section = appliedSection(await projectIn(folder, { env: { A: '1' } }))
    expect(section.resources['kb/faq']).toEqual({
      body: { knowledgeBaseId: 'k' },
      entries: { e1: expect.any(String) },
    })
  })
})
