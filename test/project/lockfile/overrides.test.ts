import { expect, test } from 'vitest'
import type { Address } from '../../../src/files/formats/address.ts'
import type { ResourceState, Section, Snapshot } from '../../../src/project/lockfile/index.ts'
import { adopt, forget } from '../../../src/project/lockfile/overrides.ts'

const sent: Snapshot = { body: { name: 'sent' }, env: { A: 'hash' }, ids: { 'tool/b': 't' } }
const older: Snapshot = { body: { name: 'older' } }
const inFile: Snapshot = { body: { name: 'in the file' } }
const kb = { body: { knowledgeBaseId: 'k' } }
const files: Address[] = ['tool/book', 'tool/cancel', 'assistant/desk', 'kb/faq', 'kb/help']
const known = {
  files,
  snapshotOf: (address: Address) => (files.includes(address) ? inFile : undefined),
  keysIn: () => ['e1', 'e2', 'unrecorded'],
}

type Resources = Readonly<Record<string, ResourceState>>

/** Recorded resources after an override. The section that it is given stays as it is. */
function overridden(by: 'adopt' | 'forget', resources: Resources, text: string) {
  const section = { baseUrl: 'https://calls.example.com/', salt: 's', resources } as Section
  const copy = structuredClone(section)
  try {
    return { adopt, forget }[by](section, text, known).section.resources
  } finally {
    expect(section).toEqual(copy)
  }
}

test.each<[string, Resources, string, Resources]>([
  [
    'what was sent by a POST without a response',
    { 'tool/book': { body: {}, creating: sent }, 'tool/cancel': { id: 'c', body: {} } },
    'tool/book=t1',
    { 'tool/book': { id: 't1', ...sent }, 'tool/cancel': { id: 'c', body: {} } },
  ],
  [
    'what was sent, although its file was removed',
    { 'tool/gone': { body: {}, creating: sent } },
    'tool/gone=t1',
    { 'tool/gone': { id: 't1', ...sent } },
  ],
  [
    'the earlier assistants, after a replacement without a response',
    { 'assistant/desk': { id: 'a2', replaced: ['a1'], ...older, creating: sent } },
    'assistant/desk=a3',
    { 'assistant/desk': { id: 'a3', replaced: ['a1', 'a2'], ...sent } },
  ],
  [
    'the earlier assistant unchanged, after a replacement that failed',
    { 'assistant/desk': { id: 'a1', ...older, creating: sent } },
    'assistant/desk=a1',
    { 'assistant/desk': { id: 'a1', ...older } },
  ],
  [
    'for a renamed file, what its orphan has',
    { 'tool/old': { id: 't1', ...sent, updating: older } },
    'tool/book=t1',
    { 'tool/book': { id: 't1', ...sent, updating: older } },
  ],
  [
    'what the orphan has, and not what was sent under the new name',
    { 'tool/old': { id: 't1', ...older }, 'tool/book': { body: {}, creating: sent } },
    'tool/book=t1',
    { 'tool/book': { id: 't1', ...older } },
  ],
  ['nothing of an unknown tool', {}, 'tool/book=t1', { 'tool/book': { id: 't1', body: {} } }],
  [
    'nothing of a tool in the place of another',
    { 'tool/book': { id: 't1', ...sent } },
    'tool/book=t2',
    { 'tool/book': { id: 't2', replaced: ['t1'], body: {} } },
  ],
  [
    'the file of an unknown assistant',
    {},
    'assistant/desk=a1',
    { 'assistant/desk': { id: 'a1', ...inFile } },
  ],
  [
    'the same for its own id',
    { 'tool/book': { id: 't1', ...sent } },
    'tool/book=t1',
    { 'tool/book': { id: 't1', ...sent } },
  ],
  ['an id without white space', {}, 'tool/book= t1 ', { 'tool/book': { id: 't1', body: {} } }],
  ['an id with =', {}, 'tool/book=ab==', { 'tool/book': { id: 'ab==', body: {} } }],
  [
    'an entry whose id in the file has =',
    { 'kb/faq': { ...kb, pending: [{ question: 'q', content: 'c', key: 'a=b' }] } },
    'kb/faq:a=b=c==',
    { 'kb/faq': { ...kb, entries: { 'a=b': { id: 'c==', hash: 'c' } } } },
  ],
  [
    'the content of a pending entry that has the id of another target in the file',
    { 'kb/faq': { ...kb, pending: [{ question: 'q', content: 'c', key: 'theirs' }] } },
    'kb/faq:theirs=ours',
    { 'kb/faq': { ...kb, entries: { theirs: { id: 'ours', hash: 'c' } } } },
  ],
  [
    'the entries of a knowledge base under its former name',
    { 'kb/old': { ...kb, entries: { e1: 'c1' } } },
    'kb/help=kb/old',
    { 'kb/help': { ...kb, entries: { e1: 'c1' } } },
  ],
])('adopt records %s', (_, before, text, after) => {
  expect(overridden('adopt', before, text)).toEqual(after)
})

const pending = [{ question: 'q', content: 'c' }]
const stored = { question: 'q1', content: 'c1', id: 'e1' }

test.each<[string, Resources, string, Resources]>([
  ['nothing of a POST without a response', { 'tool/book': { body: {}, creating: sent } }, 'tool/book', {}],
  [
    'the assistant that a replacement without a response was for',
    { 'assistant/desk': { id: 'a1', replaced: ['a0'], ...older, creating: sent } },
    'assistant/desk',
    { 'assistant/desk': { id: 'a1', replaced: ['a0'], ...older } },
  ],
  ['nothing of a tool by its id', { 'tool/book': { id: 't1', ...sent } }, 'tool/book=t1', {}],
  [
    'nothing of its update without a response either',
    { 'tool/book': { id: 't1', ...sent, updating: older } },
    'tool/book=t1',
    {},
  ],
  [
    'the entries beside a batch without a response',
    { 'kb/faq': { ...kb, entries: { e1: 'hash', e2: null }, pending } },
    'kb/faq',
    { 'kb/faq': { ...kb, entries: { e1: 'hash', e2: null } } },
  ],
  [
    'the ids of a batch that have arrived',
    { 'kb/faq': { ...kb, pending: [stored, ...pending] } },
    'kb/faq',
    { 'kb/faq': { ...kb, pending: [stored] } },
  ],
  [
    'entries that the file no longer has, at the second time',
    { 'kb/faq': { ...kb, pending: [stored] } },
    'kb/faq',
    { 'kb/faq': { ...kb, entries: { e1: 'c1' } } },
  ],
  [
    'that the ids in the file are not of this target',
    { 'kb/faq': { ...kb, entries: { e1: 'hash', e2: { id: 'other', hash: 'hash' }, e3: null } } },
    'kb/faq',
    { 'kb/faq': { body: {}, entries: { e1: null, e2: null, e3: null } } },
  ],
  [
    'nothing of a knowledge base without a file',
    { 'kb/gone': { ...kb, entries: { e1: 'h' } } },
    'kb/gone',
    {},
  ],
  [
    'its entries, without the batch that has no response',
    { 'kb/gone': { ...kb, entries: { e1: 'h' }, pending } },
    'kb/gone',
    { 'kb/gone': { ...kb, entries: { e1: 'h' } } },
  ],
  ['nothing of a knowledge base without entries', { 'kb/faq': kb }, 'kb/faq', {}],
  [
    'that an entry of the file is not at the target',
    { 'kb/faq': { ...kb, entries: { e1: 'c1', e2: 'c2' } } },
    'kb/faq:e1',
    { 'kb/faq': { ...kb, entries: { e1: null, e2: 'c2' } } },
  ],
  [
    'the same of an entry by the beginning of its id, which is not recorded',
    { 'kb/faq': { ...kb, entries: { e1: 'c1' } } },
    'kb/faq:unrec',
    { 'kb/faq': { ...kb, entries: { e1: 'c1', unrecorded: null } } },
  ],
  [
    'the other entries, for one that the file no longer has',
    { 'kb/faq': { ...kb, entries: { e1: 'c1', gone: 'c2' } } },
    'kb/faq:gone',
    { 'kb/faq': { ...kb, entries: { e1: 'c1' } } },
  ],
])('forget leaves %s', (_, before, text, after) => {
  const other = { 'tool/other': { id: 'o', body: {} } }
  expect(overridden('forget', { ...before, ...other }, text)).toEqual({ ...after, ...other })
})

const others = { 'tool/cancel': { id: 'c1', body: {} }, 'tool/old': { id: 'o1', body: {} } }
const book = { 'tool/book': { id: 't1', ...sent } }

test.each<['adopt' | 'forget', string, Resources, string, object]>([
  ['adopt', 'tool/book', others, 'adopt-malformed', {}],
  ['adopt', 'tool/book=', others, 'adopt-malformed', {}],
  ['adopt', 'tool/book=  ', others, 'adopt-malformed', {}],
  ['adopt', '=t1', others, 'adopt-malformed', {}],
  ['adopt', 'book=t1', others, 'adopt-no-file', { address: 'book' }],
  ['adopt', 'tool/=t1', others, 'adopt-no-file', { address: 'tool/' }],
  ['adopt', 'tool/boook=t1', others, 'adopt-no-file', { files }],
  ['adopt', 'tool/abandoned=x', others, 'adopt-no-file', { address: 'tool/abandoned' }],
  ['adopt', 'kb/faq=k1', others, 'adopt-knowledge-base', { address: 'kb/faq', former: 'k1' }],
  ['adopt', 'tool/book=c1', others, 'adopt-taken', { id: 'c1', holder: 'tool/cancel' }],
  ['forget', 'tool/book', book, 'forget-known', { address: 'tool/book', id: 't1' }],
  ['forget', 'tool/book=t2', book, 'forget-known', { address: 'tool/book', id: 't1' }],
  ['forget', 'tool/boook', book, 'not-recorded', { text: 'tool/boook', known: ['tool/book'] }],
  ['forget', 'tool/book', {}, 'not-recorded', { known: [] }],
  ['forget', 'constructor', {}, 'not-recorded', { text: 'constructor' }],
  ['forget', 'kb/faq:x9', { 'kb/faq': kb }, 'not-recorded', { text: 'kb/faq:x9' }],
])('%s refuses %s', (by, text, resources, code, details) => {
  expect(() => overridden(by, resources, text)).toThrow(
    expect.objectContaining({ kind: 'usage', code, details: expect.objectContaining(details) }),
  )
})
