import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import type { Address } from '../../../src/files/formats/address.ts'
import { openProjectForSandbox } from '../../../src/library/apply-project.ts'
import { checkPaths, openProjects } from '../../../src/project/resources/index.ts'
import { listNeeds, loadTests } from '../../../src/scenario/index.ts'
import { loadTestFiles } from '../../../src/scenario/load/load-tests.ts'
import { assistantText, knowledgeBaseText, starterFiles, toolText } from '../../helpers/resources.ts'
import { folderOf } from '../apply/project-on-disk.ts'

/** A project that tells which files it has read. */
async function open(files: Readonly<Record<string, string>>) {
  const folder = await folderOf(files)
  const reads: string[] = []
  const onCheck = (path: string) => {
    reads.push(relative(folder, path))
    return () => {}
  }
  const projectOf = openProjects({ cwd: folder, env: {}, vocabulary: {}, onCheck })
  const project = await projectOf(join(folder, 'tests/any.test.yaml'))
  if (project === undefined) throw new Error('there is no project')
  return { project, projectOf, folder, reads }
}

const addressesOf = (resources: readonly { readonly address: Address }[]) =>
  resources.map(({ address }) => address)

const desk = assistantText('Desk', { tools: ['book'], knowledgeBases: ['prices'] })

test('reads what an assistant reaches, and each file once', async () => {
  const { project, projectOf, folder, reads } = await open({
    'assistants/desk.yaml': desk,
    'assistants/other.yaml': 'name: [',
    'tools/book.yaml': toolText('book', 'server: { url: "https://example.com/${tool:deep}" }\n'),
    'tools/deep.yaml': toolText('deep'),
    'tools/other.yaml': 'type: [',
    'knowledge-bases/prices.yaml': knowledgeBaseText('prices'),
    'knowledge-bases/other.yaml': `${knowledgeBaseText('other')}broken: [`,
  })
  const reached = ['tool/book', 'tool/deep', 'kb/prices', 'assistant/desk']
  expect(addressesOf(await project.readReached(['assistant/desk', 'tool/none']))).toEqual(reached)
  expect(reads).toHaveLength(4)
  await project.readReached(['assistant/desk', 'kb/prices'])
  expect(await projectOf(join(folder, 'assistants/desk.yaml'))).toBe(project)
  expect(await project.readAll()).toHaveLength(7)
  expect(reads.toSorted()).toEqual([...new Set(reads)].toSorted())
  expect(reads).toHaveLength(7)
})

test.each([
  ['the same id', 'knowledge-bases/b.yaml', 'knowledgeBaseId: prices\nfaq: []\n', true],
  [
    'the same id after comments, with CRLF',
    'knowledge-bases/b.yaml',
    '# Shop\r\n\r\nknowledgeBaseId: "prices"\r\nfaq: []\r\n',
    true,
  ],
  ['the same id at the end', 'knowledge-bases/b.yaml', 'faq: []\nknowledgeBaseId: prices\n', true],
  ['the same id as an alias', 'knowledge-bases/b.yaml', 'knowledgeBaseId: &id prices\nfaq: []\n', true],
  [
    'the same id from the environment',
    'knowledge-bases/b.yaml',
    'knowledgeBaseId: ${env:KB:-prices}\nfaq: []\n',
    true,
  ],
  [
    'the same id in several lines',
    'knowledge-bases/b.yaml',
    'knowledgeBaseId: my\n  prices\nfaq: []\n',
    false,
  ],
  ['the same id in JSON', 'knowledge-bases/b.json', '{ "knowledgeBaseId": "prices", "faq": [] }', true],
  [
    'the same id with an escape',
    'knowledge-bases/b.json',
    '{ "knowledgeBaseId": "price\\u0073", "faq": [] }',
    true,
  ],
  [
    'the same id with a byte order mark',
    'knowledge-bases/b.yaml',
    '\ufeffknowledgeBaseId: prices\nfaq: []\n',
    true,
  ],
  ['no id, for errors', 'knowledge-bases/b.yaml', 'faq: [\n', true],
  ['another id', 'knowledge-bases/b.yaml', 'knowledgeBaseId: other\nfaq: []\n', false],
  ['another id in JSON', 'knowledge-bases/b.json', '{"knowledgeBaseId":"other","faq":[]}', false],
  ['the same id in callyard.yaml', 'knowledge-bases/table.csv', 'question,answer\nQ,A\n', true],
  ['another id in callyard.yaml', 'knowledge-bases/table2.csv', 'question,answer\nQ,A\n', false],
])('reads a knowledge base with %s', async (_, name, text, isReached) => {
  const { project } = await open({
    'callyard.yaml': 'knowledgeBases: { table: prices, table2: other }\n',
    'assistants/desk.yaml': desk,
    'assistants/by-id.yaml': 'name: By id\nassistantKnowledgeBaseIds: [prices]\n',
    'tools/book.yaml': toolText('book'),
    'knowledge-bases/prices.yaml': knowledgeBaseText('prices'),
    [name]: text,
  })
  const bases = (resources: Awaited<ReturnType<typeof project.readReached>>) =>
    resources.flatMap(({ kind, path }) => (kind === 'kb' ? [relative(project.folder, path)] : []))
  const expected = [...(isReached ? [name] : []), 'knowledge-bases/prices.yaml'].toSorted()
  expect(bases(await project.readReached(['assistant/desk'])).toSorted()).toEqual(expected)
  expect(bases(await project.readReached(['assistant/by-id'])).toSorted()).toEqual(expected)
  expect(bases(await project.readReached([], ['prices'])).toSorted()).toEqual(expected)
})

test('a check of a project and its tests, and a run of a test, read each file once', async () => {
  const { project, projectOf, folder, reads } = await open({
    ...starterFiles('schemas', 'ci'),
    'assistants/other.yaml': 'name: Other\n',
  })
  const rules = { cwd: folder, env: {}, vocabulary: {} }
  const { tests } = await loadTests(['tests'], { ...rules, projectOf })
  const loaded = await openProjectForSandbox(folder, { ...rules, files: project, needs: listNeeds(tests) })
  const reached = [
    'assistants/front-desk.yaml',
    'knowledge-bases/workshop.yaml',
    'tools/book-appointment.yaml',
  ]
  expect(loaded.files.map(({ source }) => source.file).toSorted()).toEqual(reached)
  expect(reads.toSorted()).toEqual(reached)
  reads.length = 0
  const checked = await checkPaths(['.'], {
    ...rules,
    onCheck(path) {
      reads.push(relative(folder, path))
      return () => {}
    },
    checkTests: (paths, sharedProjects) => loadTestFiles(paths, { ...rules, projectOf: sharedProjects }),
    checkGuard: async () => [],
  })
  expect(checked.findings).toEqual([])
  expect(reads.toSorted()).toEqual(['callyard.yaml', 'assistants/other.yaml', ...reached].toSorted())
})
