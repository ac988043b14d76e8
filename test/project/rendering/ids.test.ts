import { expect, test } from 'vitest'
import type { Address } from '../../../src/files/formats/address.ts'
import type { CheckedFile } from '../../../src/files/source/index.ts'
import { readEntries } from '../../../src/project/faq/index.ts'
import { withoutEntries } from '../../../src/project/plan/index.ts'
import { collectIds, type IdOf, renderResource } from '../../../src/project/rendering/index.ts'
import { projectOf, resourceAt } from '../apply/project-on-disk.ts'

const hash = (value: string) => `hash of ${value}`
const files = (id: string, answer = 'A') => ({
  'knowledge-bases/faq.yaml': `knowledgeBaseId: ${id}\nfaq:\n- {question: Q, answer: "${answer}"}\n`,
  'knowledge-bases/a.md': 'text',
  'tools/book.yaml': 'type: function\n',
})
const env = { KB: 'k', A: 'secret' }

function entriesWith(checked: CheckedFile, idOf: IdOf) {
  const rendering = renderResource(checked, { hash, idOf, fingerprintOf: idOf })
  return readEntries(checked.source, checked.body, rendering)
}

async function knowledgeBase(id: string, answer?: string) {
  return resourceAt(await projectOf(files(id, answer), { env }), 'kb/faq')
}

test('takes the id of a knowledge base from its file, or stores its hash if from the environment', async () => {
  const idsOf = async (id: string) => {
    const resource = await knowledgeBase(id, '${env:A}')
    const { idOf, fingerprintOf } = collectIds([resource], hash, () => undefined)
    return [idOf('kb/faq'), fingerprintOf('kb/faq')]
  }
  expect(await idsOf('k')).toEqual(['k', 'k'])
  expect(await idsOf('${env:KB}')).toEqual(['k', 'hash of k'])
})

test('ids are those on record, of knowledge bases those of the files; what is neither has none', async () => {
  const resource = await knowledgeBase('${env:KB}')
  const recorded = (address: Address) => (address === 'tool/book' ? { id: 't' } : undefined)
  const { idOf, fingerprintOf } = collectIds([resource], hash, recorded)
  const addresses = ['tool/book', 'tool/none', 'kb/faq', 'kb/none'] as const
  expect(addresses.map(idOf)).toEqual(['t', undefined, 'k', undefined])
  expect(addresses.map(fingerprintOf)).toEqual(['t', undefined, 'hash of k', undefined])
})

test.each([
  ['${env:A}', 'hash of secret'],
  ['${file:a.md}', 'text'],
  ['to ${tool:book}', 'to id of tool/book'],
  ['${env:A} ${tool:book} ${file:a.md}', 'hash of secret id of tool/book text'],
])('%s is hashed as %s', async (answer, expected) => {
  const hashesOf = async (text: string, idOf: IdOf) => {
    const [entry] = entriesWith((await knowledgeBase('k', text)).checked, idOf)
    return entry?.hashes
  }
  const idOf: IdOf = address => `id of ${address}`
  expect(await hashesOf(answer, idOf)).toEqual(await hashesOf(expected, idOf))
  const unknown = expected.replace('id of tool/book', '')
  expect(await hashesOf(answer, () => undefined)).toEqual(await hashesOf(unknown, () => undefined))
})

test('the text of an entry has its files resolved and everything else as written', async () => {
  const { checked } = await knowledgeBase('${env:KB}', '${env:A} ${tool:book} ${file:a.md}')
  const [entry] = entriesWith(checked, () => undefined)
  expect(entry?.text).toEqual({ question: 'Q', answer: '${env:A} ${tool:book} text' })
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
