import { expect, test } from 'vitest'
import { type FileEntry, readEntries } from '../../../src/faq/entries.ts'
import type { Address } from '../../../src/interface/address.ts'
import { CallyardError } from '../../../src/lib/error.ts'
import type { PendingEntry } from '../../../src/lockfile/ledger.ts'
import type { Recorded, Section } from '../../../src/lockfile/lockfile.ts'
import { makePlan, readState } from '../../../src/plan/plan-project.ts'
import type { LoadedProject } from '../../../src/resources/load-project.ts'
import { projectOf, resourceAt } from '../project-on-disk.ts'

const sent = { body: { name: 'sent' } }

function sectionWith(resources: Record<Address, Recorded>): Section {
  return { baseUrl: 'https://calls.example.com/', salt: 's', resources }
}

/** Findings of a plan of a project, by default one without files. */
async function objection(section: Section, project?: LoadedProject): Promise<CallyardError | undefined> {
  const planned = project ?? (await projectOf({}))
  const target = { name: 'live', baseUrl: section.baseUrl }
  try {
    makePlan(planned, target, readState({ targets: { live: section } }, section, 'live'))
    return undefined
  } catch (error) {
    if (error instanceof CallyardError) return error
    throw error
  }
}

async function knowledgeBase(faq: string) {
  const project = await projectOf({ 'knowledge-bases/faq.yaml': `knowledgeBaseId: k\nfaq:\n${faq}` })
  const { source, body } = resourceAt(project, 'kb/faq').checked
  return { project, entries: readEntries(source, body) }
}

function pendingOf(entry: FileEntry): PendingEntry {
  return { ...entry.hashes, line: entry.position()?.line }
}

test('settles what is recorded without an open POST', async () => {
  expect(await objection(sectionWith({}))).toBeUndefined()
  // An update is sent again: that changes nothing.
  const updating = { id: 't', body: {}, updating: sent }
  expect(
    await objection(sectionWith({ 'tool/a': updating, 'kb/faq': { body: {}, entries: { e: 'h' } } })),
  ).toBeUndefined()
})

test('lists every POST without a response with the command that settles it', async () => {
  const error = await objection(
    sectionWith({
      'tool/c': { id: 't', body: {} },
      'tool/b': { body: {}, creating: sent },
      'assistant/a': { id: 'a1', body: {}, creating: sent },
    }),
  )
  expect(error).toMatchObject({
    kind: 'conflict',
    exitCode: 9,
    code: 'apply-unanswered',
    details: {
      target: 'live',
      alone: true,
      unknown: ['assistant/a', 'tool/b'],
      open: [{ address: 'assistant/a' }, { address: 'tool/b' }],
    },
  })
})

test('shows entries of a batch without a response by their questions', async () => {
  const { project, entries } = await knowledgeBase('- {question: A, answer: a}\n- {question: B, answer: b}\n')
  const gone = { question: 'x', content: 'x' }
  const pending = [...entries.map(pendingOf), { ...gone, line: 9 }, gone]
  const error = await objection(sectionWith({ 'kb/faq': { body: {}, pending } }), project)
  const named = [
    { question: 'A', line: entries[0]?.position()?.line },
    { question: 'B', line: entries[1]?.position()?.line },
    { question: undefined, line: 9 },
    { question: undefined, line: undefined },
  ]
  const open = [{ address: 'kb/faq', file: 'knowledge-bases/faq.yaml', entries: named }]
  expect(error).toMatchObject({ code: 'apply-unanswered', details: { open } })
})

test('an entry with an id from a person or a recorded response is settled', async () => {
  const { project, entries } = await knowledgeBase(
    '- {question: A, answer: a, id: e1}\n- {question: B, answer: b}\n',
  )
  const [first, second] = entries.map(pendingOf)
  if (first === undefined || second === undefined) throw new Error('two entries')
  const answered = { ...second, id: 'e2' }
  expect(
    await objection(sectionWith({ 'kb/faq': { body: {}, pending: [first, answered] } }), project),
  ).toBeUndefined()
  const error = await objection(sectionWith({ 'kb/faq': { body: {}, pending: [first, second] } }), project)
  expect(error?.details.open).toMatchObject([{ address: 'kb/faq', entries: [{ question: 'B' }] }])
})

test('an entry that the target holds, and that a person took out of the file before its id was written, is settled', async () => {
  const { project } = await knowledgeBase('- {question: B, answer: b, id: e2}\n')
  const stored = { question: 'q', content: 'c', id: 'e1' }
  const recorded = { body: { knowledgeBaseId: 'k' }, entries: { e1: 'c', e2: 'c2' }, pending: [stored] }
  expect(await objection(sectionWith({ 'kb/faq': recorded }), project)).toBeUndefined()
  const unrecorded = { ...recorded, entries: { e2: 'c2' } }
  const error = await objection(sectionWith({ 'kb/faq': unrecorded }), project)
  expect(error?.details.open).toMatchObject([{ address: 'kb/faq', entries: [{ id: 'e1' }] }])
})

test('an entry whose id in the file is another target’s is as open as one without', async () => {
  const { project, entries } = await knowledgeBase('- {question: A, answer: a, id: e1}\n')
  const pending = entries.map(entry => ({ ...pendingOf(entry), key: 'e1' }))
  const second = sectionWith({ 'kb/faq': { body: { knowledgeBaseId: 'k' }, pending } })
  const first = sectionWith({ 'kb/faq': { body: { knowledgeBaseId: 'k' }, entries: { e1: 'h' } } })
  const state = readState({ targets: { first, second } }, second, 'second')
  const target = { name: 'second', baseUrl: second.baseUrl, isNew: false }
  expect(() => makePlan(project, target, state)).toThrow(
    expect.objectContaining({
      kind: 'conflict',
      details: expect.objectContaining({
        open: [expect.objectContaining({ entries: [expect.objectContaining({ question: 'A' })] })],
      }),
    }),
  )
})

test('keeps entries of a removed file open', async () => {
  const project = await projectOf({})
  const section = sectionWith({ 'kb/faq': { body: {}, pending: [{ question: 'q', content: 'c', line: 3 }] } })
  const target = { name: 'live', baseUrl: section.baseUrl, isNew: false }
  expect(() => makePlan(project, target, readState({ targets: { live: section } }, section, 'live'))).toThrow(
    expect.objectContaining({
      kind: 'conflict',
      details: expect.objectContaining({ unknown: ['kb/faq'] }),
    }),
  )
})
