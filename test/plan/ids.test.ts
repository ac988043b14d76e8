import { expect, test } from 'vitest'
import { getKnowledgeBaseId } from '../../src/faq/index.ts'
import type { Address } from '../../src/interface/address.ts'
import { collectIds, withoutEntries } from '../../src/plan/index.ts'
import { hashedBody, shownBody } from '../../src/plan/plan-knowledge-base.ts'
import { knowledgeBaseFingerprint } from '../../src/plan/snapshot.ts'
import { projectOf, resourceAt } from '../project/project-on-disk.ts'

const hash = (value: string) => `hash of ${value}`
const files = (id: string, answer = 'A') => ({
  'knowledge-bases/faq.yaml': `knowledgeBaseId: ${id}\nfaq:\n- {question: Q, answer: "${answer}"}\n`,
  'knowledge-bases/a.md': 'text',
  'tools/book.yaml': 'type: function\n',
})
const env = { KB: 'k', A: 'secret' }

async function knowledgeBase(id: string, answer?: string) {
  return resourceAt(await projectOf(files(id, answer), { env }), 'kb/faq')
}

test('takes the id of a knowledge base from its file, or stores its hash if from the environment', async () => {
  const plain = await knowledgeBase('k', '${env:A}')
  expect([getKnowledgeBaseId(plain.checked.body), knowledgeBaseFingerprint(plain, hash)]).toEqual(['k', 'k'])
  const hidden = await knowledgeBase('${env:KB}', '${env:A}')
  expect([getKnowledgeBaseId(hidden.checked.body), knowledgeBaseFingerprint(hidden, hash)]).toEqual([
    'k',
    'hash of k',
  ])
})

test('ids are those on record, of knowledge bases those of the files; what is neither has none', async () => {
  const resource = await knowledgeBase('${env:KB}')
  const recorded = (address: Address) => (address === 'tool/book' ? { id: 't' } : undefined)
  const { idOf, fingerprintOf } = collectIds(new Map([['kb/faq', resource]]), hash, recorded)
  const addresses = ['tool/book', 'tool/none', 'kb/faq', 'kb/none'] as const
  expect(addresses.map(idOf)).toEqual(['t', undefined, 'k', undefined])
  expect(addresses.map(fingerprintOf)).toEqual(['t', undefined, 'hash of k', undefined])
})

test('hashes a body without variables and references unchanged', async () => {
  const { checked } = await knowledgeBase('k', '${file:a.md}')
  expect(hashedBody(checked, hash, () => undefined)).toBe(checked.body)
})

test.each([
  ['${env:A}', 'hash of secret'],
  ['${tool:book}', 'id of tool/book'],
  ['${env:A} ${tool:book} ${file:a.md}', 'hash of secret id of tool/book text'],
])('%s is hashed as %s', async (answer, expected) => {
  const { checked } = await knowledgeBase('k', answer)
  const body = (text: string) => ({ knowledgeBaseId: 'k', faq: [{ question: 'Q', answer: text }] })
  expect(hashedBody(checked, hash, address => `id of ${address}`)).toEqual(body(expected))
  const unknown = expected.replace('id of tool/book', '')
  expect(hashedBody(checked, hash, () => undefined)).toEqual(body(unknown))
})

test('renders a body with its files resolved and everything else as written', async () => {
  const { checked } = await knowledgeBase('${env:KB}', '${env:A} ${tool:book} ${file:a.md}')
  expect(shownBody(checked)).toEqual({
    knowledgeBaseId: '${env:KB}',
    faq: [{ question: 'Q', answer: '${env:A} ${tool:book} text' }],
  })
})

test('beside its entries, a knowledge base has its id on record, and what that came from', () => {
  const file = { hash: 'h', text: 'x' }
  expect(
    withoutEntries({
      body: { knowledgeBaseId: 'a${env:KB}${file:f}', faq: [] },
      env: { KB: 'h', A: 'h' },
      files: { f: file, other: file },
    }),
  ).toEqual({ body: { knowledgeBaseId: 'a${env:KB}${file:f}' }, env: { KB: 'h' }, files: { f: file } })
  expect(withoutEntries({ body: { knowledgeBaseId: 5 }, env: { A: 'h' } })).toEqual({
    body: { knowledgeBaseId: 5 },
  })
})
