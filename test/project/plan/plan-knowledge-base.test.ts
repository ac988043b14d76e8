import { describe, expect, test } from 'vitest'
import { readEntries } from '../../../src/project/faq/index.ts'
import { type PendingEntry, unknownContent } from '../../../src/project/lockfile/entries/index.ts'
import { type ResourceState, type Section, TargetState } from '../../../src/project/lockfile/index.ts'
import { isPending } from '../../../src/project/plan/index.ts'
import { renderResource } from '../../../src/project/rendering/index.ts'
import { writeFiles } from '../../helpers/folders.ts'
import { actionAt, appliedSection, nothingApplied, outline, planOf, withRecorded } from '../apply/applied.ts'
import { folderOf, projectIn, projectOf, resourceAt } from '../apply/project-on-disk.ts'

const fileName = 'knowledge-bases/faq.yaml'
const two = '- {id: e1, question: A, answer: a}\n- {id: e2, question: B, answer: b}\n'

function file(faq: string, id = 'k'): Record<string, string> {
  return { [fileName]: `knowledgeBaseId: ${id}\nfaq:\n${faq}` }
}

/** A knowledge base that was applied from one file and planned from another. */
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
  test('of a knowledge base that was never applied: those without an id are new, the others are sent again', async () => {
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

  test('that are unchanged are recognized in any order, with their fields in any order', async () => {
    const turned = '- {answer: b, id: e2, question: B}\n- {question: A, answer: a, id: e1}\n'
    const action = await replan(file(two), file(turned))
    expect(action).toMatchObject({ action: 'unchanged', entries: [], unchangedEntries: 2, changes: [] })
  })

  test('are named as the file writes them, so that an escaped reference stays escaped', async () => {
    const question = '$${env:CITY} of ${env:CITY}'
    const project = await projectOf(file(`- {question: "${question}", answer: a}\n`), {
      env: { CITY: 'Ghent' },
    })
    expect(actionAt(planOf(project, nothingApplied), 'kb/faq')).toMatchObject({ entries: [{ question }] })
  })

  test('that are new or changed are planned; missing ones are only listed', async () => {
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

  test('with text from the environment change with it and never show it', async () => {
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

describe('an updated entry', () => {
  const one = file('- {id: e1, question: Q, answer: new, category: c}\n')
  const entryOf = async (edit: (recorded: ResourceState) => ResourceState, env = {}, files = one) => {
    const folder = await folderOf(files)
    const section = appliedSection(await projectIn(folder, { env: { A: '1', B: '1' } }))
    const project = await projectIn(folder, { env: { A: '1', B: '1', ...env } })
    return actionAt(planOf(project, withRecorded(section, 'kb/faq', edit)), 'kb/faq').entries?.[0]
  }
  const common = { action: 'update', id: 'e1', question: 'Q', line: 3 }

  test('shows how it differs from its text in the lockfile', async () => {
    const texts = { e1: { question: 'Q', answer: 'old', updatable: true } }
    const edit = (recorded: ResourceState): ResourceState => ({ ...recorded, entries: { e1: 'old' }, texts })
    expect(await entryOf(edit)).toStrictEqual({
      ...common,
      changes: [
        { path: ['answer'], kind: 'changed', before: 'old', after: 'new', notes: [] },
        { path: ['category'], kind: 'added', after: 'c', notes: [] },
        { path: ['updatable'], kind: 'removed', before: true, notes: [] },
      ],
    })
  })

  test('shows nothing where the lockfile has no text', async () => {
    expect(await entryOf(recorded => ({ ...recorded, entries: { e1: 'old' } }))).toStrictEqual(common)
  })

  test('and was never pushed says so', async () => {
    const entry = await entryOf(({ body }) => ({ body }))
    expect(entry).toStrictEqual({
      ...common,
      note: 'it has an id but no earlier push is recorded, so it is updated',
    })
  })

  test('whose last update had no response is reported as such', async () => {
    const entry = await entryOf(recorded => ({ ...recorded, entries: { e1: unknownContent } }))
    expect(entry).toStrictEqual({ ...common, note: 'what the service has is unknown, so it is sent again' })
  })

  const texts = (text: ResourceState['texts']) => (recorded: ResourceState) => ({ ...recorded, texts: text })

  test('whose variables have other values lists them', async () => {
    const text = { question: 'Q', answer: '${env:A} ${env:B} ${env:A}', updatable: true }
    const files = file(`- {id: e1, question: Q, answer: "${text.answer}", updatable: true}\n`)
    expect(await entryOf(texts({ e1: text }), { A: '2' }, files)).toStrictEqual({
      ...common,
      note: 'the value of ${env:A} or ${env:B} changed',
    })
  })

  test('for the id of a resource says so', async () => {
    const text = { question: 'Q', answer: '${tool:book}' }
    const files = {
      ...file(`- {id: e1, question: Q, answer: "${text.answer}"}\n`),
      'tools/book.yaml': 'type: function\n',
    }
    const folder = await folderOf(files)
    const section = withRecorded(appliedSection(await projectIn(folder)), 'kb/faq', texts({ e1: text }))
    const moved = withRecorded(section, 'tool/book', recorded => ({ ...recorded, id: 'another' }))
    expect(actionAt(planOf(await projectIn(folder), section), 'kb/faq').entries).toEqual([])
    expect(actionAt(planOf(await projectIn(folder), moved), 'kb/faq').entries).toStrictEqual([
      { ...common, note: 'the id of a referenced resource changed' },
    ])
  })
})

describe('entries that an earlier apply left behind', () => {
  test('and lost their ids in the file are written down again, not orphaned', async () => {
    const after = file('- {question: A, answer: a}\n- {id: e2, question: B, answer: b}\n')
    expect(await replan(file(two), after)).toMatchObject({
      action: 'update',
      entries: [],
      unchangedEntries: 2,
    })
  })

  test('are settled with their ids, although the file has those', async () => {
    const edit = (section: Section) =>
      withRecorded(section, 'kb/faq', recorded => ({
        ...recorded,
        pending: [{ question: 'q', content: String(recorded.entries?.e1), id: 'e1' }],
      }))
    expect(await replan(file(two), file(two), { edit })).toMatchObject({ action: 'update', entries: [] })
  })

  /** Entries of batches without a response that stop the plan of a knowledge base, or undefined. */
  async function openEntries(
    faq: string,
    recorded: (...sent: PendingEntry[]) => Partial<ResourceState>,
    others: Record<string, Section> = {},
  ) {
    const files = { ...file(faq), 'tools/book.yaml': 'type: function\n' }
    const project = await projectOf(files, { env: { A: '1' } })
    const { hash } = new TargetState({ targets: {} }, 'test', nothingApplied)
    const { checked } = resourceAt(project, 'kb/faq')
    const sent = readEntries(
      checked.source,
      checked.body,
      renderResource(checked, { hash, idOf: () => 't', fingerprintOf: () => 't' }),
    ).map(entry => entry.hashes)
    const kb = { body: { knowledgeBaseId: 'k' }, ...recorded(...sent) }
    const resources = { 'kb/faq': kb, 'tool/book': { id: 't', body: {} } }
    try {
      planOf(project, { ...nothingApplied, resources }, others)
      return undefined
    } catch (error) {
      expect(error).toMatchObject({ kind: 'conflict', code: 'apply-unanswered' })
      expect(error).toMatchObject({ details: { open: [{ address: 'kb/faq', file: fileName }] } })
      return Object(error).details.open[0].entries
    }
  }
  const bare = '- {question: "${env:A} ${tool:book}", answer: a}\n- {question: B, answer: b}\n'

  test('without a response stop the plan, which names those that the file still has', async () => {
    const gone = { question: 'x', content: 'x' }
    expect(
      await openEntries(bare, (...sent) => ({ pending: [...sent, { ...gone, line: 9 }, gone] })),
    ).toEqual([{ question: '${env:A} ${tool:book}' }, { question: 'B' }, { line: 9 }, {}])
    const section = { ...nothingApplied, resources: { 'kb/faq': { body: {}, pending: [gone] } } }
    const details = expect.objectContaining({ unknown: ['kb/faq'] })
    const empty = await projectOf({})
    expect(() => planOf(empty, section)).toThrow(expect.objectContaining({ kind: 'conflict', details }))
  })

  test('are settled by an id that a person wrote, or that the response had', async () => {
    const faq = bare.replace('{question', '{id: e1, question')
    expect(
      await openEntries(faq, (first, second) => ({ pending: [first, { ...second, id: 'e2' }] })),
    ).toBeUndefined()
    expect(await openEntries(faq, (...sent) => ({ pending: sent }))).toEqual([{ question: 'B' }])
    // An id of another target says nothing of this one.
    const entries = { e1: 'h' }
    const first = { ...nothingApplied, resources: { 'kb/faq': { body: { knowledgeBaseId: 'k' }, entries } } }
    expect(await openEntries(faq, one => ({ pending: [{ ...one, key: 'e1' }] }), { first })).toMatchObject([
      { question: '${env:A} ${tool:book}' },
    ])
  })

  test('are settled if the target holds them, although the file lost them before it had their ids', async () => {
    const pending = [{ question: 'q', content: 'c', id: 'e1' }]
    expect(await openEntries(two, () => ({ entries: { e1: 'c', e2: 'c2' }, pending }))).toBeUndefined()
    const without = '- {id: e2, question: B, answer: b}\n'
    expect(await openEntries(without, () => ({ entries: { e1: 'c', e2: 'c2' }, pending }))).toBeUndefined()
    expect(await openEntries(without, () => ({ entries: { e2: 'c2' }, pending }))).toEqual([{ id: 'e1' }])
  })

  test('are shown by their question where the lockfile has it, once the file has them no more', async () => {
    const edit = (section: Section) =>
      withRecorded(section, 'kb/faq', recorded => ({ ...recorded, texts: { e2: { question: 'B' } } }))
    const after = file('- {id: e0, question: C, answer: c}\n')
    expect((await replan(file(two), after, { edit })).entries?.slice(1)).toStrictEqual([
      { action: 'orphaned', id: 'e1' },
      { action: 'orphaned', id: 'e2', question: 'B' },
    ])
  })

  test('none: an empty knowledge base is unchanged', async () => {
    const plan = planOf(await projectOf({ [fileName]: 'knowledgeBaseId: k\nfaq: []\n' }), nothingApplied)
    expect(actionAt(plan, 'kb/faq')).toMatchObject({ action: 'unchanged', entries: [] })
  })
})

describe('a file that was renamed', () => {
  const renamed = { 'knowledge-bases/new.yaml': file('- {id: e1, question: A, answer: a}\n')[fileName] ?? '' }
  const sectionOf = (resources: Section['resources']): Section => ({ ...nothingApplied, resources })
  const old = { body: { knowledgeBaseId: 'k' }, entries: { e1: 'h', e2: 'h' } }

  test('is blocked', async () => {
    const section = sectionOf({
      'kb/empty': { body: {} },
      'kb/other': { ...old, entries: { e9: 'h' } },
      'kb/faq': old,
    })
    expect(actionAt(planOf(await projectOf(renamed), section), 'kb/new')).toMatchObject({
      action: 'blocked',
      changes: [],
      why: { code: 'renamed-file', former: 'kb/faq' },
    })
  })

  test('is not reported if the other file still exists or has other entries', async () => {
    const both = await projectOf({ ...renamed, ...file(two) })
    expect(outline(planOf(both, sectionOf({ 'kb/faq': old })))['kb/new']).toBe('update')
    const others = sectionOf({ 'kb/faq': { ...old, entries: { e9: 'h' } } })
    expect(outline(planOf(await projectOf(renamed), others))['kb/new']).toBe('update')
  })

  test('is not reported if the lockfile contains the new name too', async () => {
    const plan = planOf(await projectOf(renamed), sectionOf({ 'kb/new': old, 'kb/faq': old }))
    expect(outline(plan)['kb/new']).toBe('update')
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
    expect(entries).toStrictEqual([
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
  test('is blocked if it was replaced, because its entries have the old ids', async () => {
    const action = await replan(file(two), file(two, 'other'))
    expect(action).toMatchObject({
      action: 'blocked',
      changes: [{ path: ['knowledgeBaseId'], kind: 'changed', before: 'k', after: 'other' }],
      why: { code: 'other-knowledge-base' },
    })
    expect(action.entries).toBeUndefined()
  })

  test.each<[string, Partial<ResourceState>, string]>([
    ['some entries are on record', { entries: { e1: null, e2: 'h' } }, 'blocked'],
    [
      'a batch is on its way',
      { entries: {}, pending: [{ question: 'q', content: 'c', id: 'e1' }] },
      'blocked',
    ],
    ['all entries were forgotten', { entries: { e1: null, e2: null } }, 'update'],
    ['nothing was sent to it', {}, 'update'],
  ])('that is replaced while %s', async (_, known, expected) => {
    const edit = (section: Section) => withRecorded(section, 'kb/faq', ({ body }) => ({ body, ...known }))
    expect(await replan(file(two), file(two, 'other'), { edit })).toMatchObject({ action: expected })
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
      withRecorded(section, 'kb/faq', () => ({ body: {}, entries: { e1: null, e2: null, gone: null } }))
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
