import { expect, test } from 'vitest'
import type { Recorded, Section } from '../../../src/lockfile/lockfile.ts'
import { adopt, forget } from '../../../src/project/overrides.ts'
import { actionAt, appliedSection, planOf, withRecorded } from '../applied.ts'
import { projectOf } from '../project-on-disk.ts'

const files = ['kb/faq'] as const
const known = { files, snapshotOf: () => undefined, keysIn: () => [] }

function sectionOf(recorded: Recorded): Section {
  return { baseUrl: 'https://calls.example.com/', salt: 's', resources: { 'kb/faq': recorded } }
}
const body = { knowledgeBaseId: 'k' }

test('forgetting a batch keeps the ids of earlier responses', () => {
  const stored = { question: 'q1', content: 'c1', id: 'e1' }
  const { section: once } = forget(
    sectionOf({ body, pending: [stored, { question: 'q2', content: 'c2' }] }),
    'kb/faq',
    known,
  )
  expect(once.resources['kb/faq']).toEqual({ body, pending: [stored] })
  // Asked again about what the file no longer holds, it becomes an entry that no file holds.
  expect(forget(once, 'kb/faq', known).section.resources['kb/faq']).toEqual({ body, entries: { e1: 'c1' } })
})

test('an entry whose id in the file is another target’s is adopted by that id', () => {
  const section = sectionOf({ body, pending: [{ question: 'q', content: 'c', key: 'theirs' }] })
  expect(adopt(section, 'kb/faq:theirs=ours', known).section.resources['kb/faq']).toEqual({
    body,
    entries: { theirs: { id: 'ours', hash: 'c' } },
  })
})

test('forgets a single entry by its id in the file', () => {
  const section = sectionOf({ body, entries: { e1: 'c1', e2: 'c2' } })
  expect(forget(section, 'kb/faq:e1', known).section.resources['kb/faq']).toEqual({
    body,
    entries: { e2: 'c2' },
  })
  expect(() => forget(section, 'kb/faq:e9', known)).toThrow('not-recorded')
})

test('inserts a deleted entry that the file still contains again', () => {
  const section = sectionOf({ body, entries: { e1: 'c1', e2: 'c2' } })
  const keysIn = () => ['e1', 'e2', 'unrecorded']
  const left = (text: string) => forget(section, text, { files, keysIn }).section.resources['kb/faq']?.entries
  expect(left('kb/faq:e1')).toEqual({ e1: null, e2: 'c2' })
  expect(left('kb/faq:unrec')).toEqual({ e1: 'c1', e2: 'c2', unrecorded: null })
})

const project = {
  'knowledge-bases/faq.yaml':
    'knowledgeBaseId: k\nfaq:\n  - { id: e1, question: A, answer: a }\n  - { id: e2, question: B, answer: b }\n',
}

test('entries that lost their ids in the file are known by what they say, and not inserted again', async () => {
  const applied = appliedSection(await projectOf(project))
  const bare = await projectOf({
    'knowledge-bases/faq.yaml': project['knowledge-bases/faq.yaml'].replaceAll(/id: e\d, /g, ''),
  })
  expect(actionAt(planOf(bare, applied), 'kb/faq')).toMatchObject({
    action: 'update',
    entries: [],
    unchangedEntries: 2,
  })
  const edited = await projectOf({
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: k\nfaq:\n  - { question: A, answer: new }\n',
  })
  expect(actionAt(planOf(edited, applied), 'kb/faq').entries).toMatchObject([
    { action: 'insert', question: 'A' },
    { action: 'orphaned', id: 'e1' },
    { action: 'orphaned', id: 'e2' },
  ])
})

test('an unfinished write of an apply is a change, even if the file has every id', async () => {
  const loaded = await projectOf(project)
  const { entries = {} } = appliedSection(loaded).resources['kb/faq'] ?? {}
  const pending = [{ question: 'q', content: String(entries.e1), id: 'e1' }]
  const section = withRecorded(appliedSection(loaded), 'kb/faq', recorded => ({
    ...recorded,
    entries: { e2: entries.e2 ?? null },
    pending,
  }))
  expect(actionAt(planOf(loaded, section), 'kb/faq')).toMatchObject({ action: 'update', entries: [] })
})

test('asks about a renamed knowledge base and adopts it by its former name', async () => {
  const applied = appliedSection(await projectOf(project))
  const renamed = await projectOf({ 'knowledge-bases/help.yaml': project['knowledge-bases/faq.yaml'] })
  const action = actionAt(planOf(renamed, applied), 'kb/help')
  expect(action).toMatchObject({ action: 'blocked', why: { code: 'renamed-file', former: 'kb/faq' } })
  const { section: adopted } = adopt(applied, 'kb/help=kb/faq', {
    files: ['kb/help'],
    snapshotOf: () => undefined,
  })
  expect(planOf(renamed, adopted).actions).toMatchObject([{ address: 'kb/help', action: 'unchanged' }])
})

test('a knowledge base that received nothing stays the same after its id is corrected', async () => {
  const section: Section = { ...sectionOf({ body: { knowledgeBaseId: 'typo' } }), salt: 'salt' }
  expect(actionAt(planOf(await projectOf(project), section), 'kb/faq').action).toBe('update')
})
