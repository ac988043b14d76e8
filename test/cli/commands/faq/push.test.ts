import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashContent } from '../../../../src/lib/hash.ts'
import { findState, loadLockText, readLockfile } from '../../../../src/project/lockfile/index.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'

const lockText = await loadLockText()

const path = '/kb/v1/knowledge-bases/kb1/faq-template'
const two = `knowledgeBaseId: kb1
faq:
  - question: A   # first
    answer: a
  - question: B
    answer: b
`

function stored(...entries: (readonly [id: string, question: string])[]) {
  return { json: { faq: entries.map(([id, question]) => ({ id, question, answer: 'x' })) } }
}

const bothStored = stored(['id-b', 'B'], ['id-a', 'A'])

const own = '.callyard/faq/faq.yaml'

async function stateFiles(cli: TestCli, folder = own): Promise<string[]> {
  const paths = await readdir(join(cli.folder, folder), { recursive: true })
  return paths.filter(path => path !== '.callyard').toSorted()
}

test('inserts new entries, writes their ids, and has nothing to do the next time', async () => {
  const partlyWritten = { [`${own}/.callyard.lock.yaml.callyard-tmp`]: 'version: 1\ntarg' }
  const cli = await testCli({ 'faq.yaml': two, ...partlyWritten })
  cli.answer('POST', path, bothStored)
  const result = await cli.run('faq', 'push', 'faq.yaml')
  expect(result).toMatchObject({
    exitCode: 0,
    stdout: 'Inserted 2, updated 0, unchanged 0 in knowledge base kb1\n',
  })
  expect(cli.requests[0]?.body).toEqual({
    faq: [
      { question: 'A', answer: 'a' },
      { question: 'B', answer: 'b' },
    ],
  })
  expect(await cli.read('faq.yaml')).toBe(`knowledgeBaseId: kb1
faq:
  - id: id-a
    question: A   # first
    answer: a
  - id: id-b
    question: B
    answer: b
`)
  expect(await stateFiles(cli)).toEqual(['callyard.lock.yaml'])
  expect((await stat(join(cli.folder, own, 'callyard.lock.yaml'))).mode & 0o777).toBe(0o600)

  const again = await cli.run('faq', 'push', 'faq.yaml', '--json')
  expect(JSON.parse(again.stdout)).toEqual({
    knowledgeBaseId: 'kb1',
    file: 'faq.yaml',
    inserted: 0,
    updated: 0,
    unchanged: 2,
    ids: [],
    unknown: [],
  })
  expect(cli.requests).toHaveLength(1)
})

test('updates only what changed, in batches', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  cli.answer('POST', path, stored(['id-a', 'A']))
  cli.answer('POST', path, stored(['id-b', 'B']))
  expect((await cli.run('faq', 'push', 'faq.yaml', '--batch-size', '1')).exitCode).toBe(0)
  await writeFile(
    join(cli.folder, 'faq.yaml'),
    (await cli.read('faq.yaml')).replace('answer: b', 'answer: new'),
  )
  cli.answer('PUT', path, { json: { faq: [] } })
  expect((await cli.run('faq', 'push', 'faq.yaml')).stdout).toContain('Inserted 0, updated 1, unchanged 1')
  expect(cli.requests.at(-1)).toMatchObject({
    method: 'PUT',
    body: { faq: [{ id: 'id-b', question: 'B', answer: 'new' }] },
  })
})

test('updates an entry whose earlier push is not known here, and says so', async () => {
  const cli = await testCli({ 'faq.csv': 'id,question,answer\nx1,A,a\n' })
  cli.answer('PUT', '/kb/v1/knowledge-bases/other/faq-template', { json: { faq: [] } })
  const result = await cli.run('faq', 'push', 'faq.csv', '--kb', 'other')
  expect(result.exitCode).toBe(0)
  expect(result.stderr).toContain('no record of an earlier push')
  expect((await cli.run('faq', 'push', 'faq.csv', '--kb', 'other')).stdout).toContain('unchanged 1')
})

test('--dry-run prints what would be sent, sends nothing and writes nothing', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  const result = await cli.run('faq', 'push', 'faq.yaml', '--dry-run')
  expect(result).toMatchObject({
    exitCode: 0,
    stdout:
      'Would insert 2, update 0, leave 0 unchanged in knowledge base kb1\n+ faq.yaml:3 A\n+ faq.yaml:5 B\n',
  })
  expect(await readdir(cli.folder)).toEqual(['faq.yaml'])
  expect(cli.requests).toEqual([])
})

test('shows a response without entries, and reports a partial push with the next command', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  cli.answer('POST', path, { status: 201, body: 'OK' })
  const { exitCode, stdout, stderr } = await cli.run('faq', 'push', 'faq.yaml', '--json')
  expect(exitCode).toBe(8)
  expect(JSON.parse(stdout).error).toMatchObject({ kind: 'partial', cause: { status: 201, body: 'OK' } })
  expect(stderr).toContain('succeeded (201), and the response has no id of the entry: OK')
  expect(stderr).toContain('--adopt-batch')
})

test('a knowledge base is needed, and --kb wins over the file with a warning', async () => {
  const cli = await testCli({ 'faq.csv': 'question,answer\nA,a\n', 'faq.yaml': two })
  const without = await cli.run('faq', 'push', 'faq.csv')
  expect(without.exitCode).toBe(2)
  expect(without.stderr).toMatch(/--kb <id>.*knowledgeBaseId/s)
  const both = await cli.run('faq', 'push', 'faq.yaml', '--kb', 'kb2', '--dry-run')
  expect(both.stderr).toContain('--kb kb2 is used instead')
  expect(both.stdout).toContain('kb2')
})

test.each([
  ['a repeated question', `${two}  - question: A\n    answer: again\n`],
  ['an entry that cannot store an id', `${two}  - id: !!null\n    question: C\n    answer: c\n`],
])('a file with %s is not sent', async (_, text) => {
  const cli = await testCli({ 'faq.yaml': text })
  const result = await cli.run('faq', 'push', 'faq.yaml')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('faq.yaml:7')
  expect(cli.requests).toEqual([])
  expect(await cli.read('faq.yaml')).toBe(text)
})

test('keeps an entry that the response leaves open, and resends it only on request', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  cli.answer('POST', path, stored(['id-a', 'A']))
  const first = await cli.run('faq', 'push', 'faq.yaml', '--json')
  expect(first.exitCode).toBe(9)
  expect(JSON.parse(first.stdout).error).toMatchObject({
    kind: 'conflict',
    inserted: 1,
    unknown: [{ file: 'faq.yaml', line: 6, question: 'B' }],
  })
  expect(await cli.read('faq.yaml')).toContain('- id: id-a\n    question: A')

  const second = await cli.run('faq', 'push', 'faq.yaml')
  expect(second.exitCode).toBe(9)
  expect(second.stderr).toContain('faq.yaml:6: "B"')
  expect((await cli.run('faq', 'push', 'faq.yaml', '--dry-run')).exitCode).toBe(9)
  expect(cli.requests).toHaveLength(1)

  cli.answer('POST', path, stored(['id-b', 'B']))
  const third = await cli.run('faq', 'push', 'faq.yaml', '--resend-unknown')
  expect(third).toMatchObject({ exitCode: 0 })
  expect(cli.requests.at(-1)?.body).toEqual({ faq: [{ question: 'B', answer: 'b' }] })
})

test('an id that a person wrote into an open entry settles it', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  cli.answer('POST', path, { status: 500 })
  const lost = await cli.run('faq', 'push', 'faq.yaml')
  expect(lost.exitCode).toBe(9)
  expect(lost.stderr).toContain('faq.yaml:3: "A"')
  expect(lost.stderr).toContain('faq.yaml:5: "B"')
  await writeFile(
    join(cli.folder, 'faq.yaml'),
    two
      .replace('- question: A', '- id: mine\n    question: A')
      .replace('- question: B', '- id: yours\n    question: B'),
  )
  cli.answer('PUT', path, { json: { faq: [] } })
  expect((await cli.run('faq', 'push', 'faq.yaml')).stdout).toContain('Inserted 0, updated 2')
})

test('an open entry whose question was changed is not taken for a new one', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  cli.answer('POST', path, { status: 500 })
  await cli.run('faq', 'push', 'faq.yaml')
  await writeFile(join(cli.folder, 'faq.yaml'), two.replace('question: A', 'question: A changed'))
  const result = await cli.run('faq', 'push', 'faq.yaml')
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain('faq.yaml:3: (no longer in the file)')
  expect(cli.requests).toHaveLength(1)
})

test('pushes a file to two knowledge bases, and an open batch of one stays open', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  const other = '/kb/v1/knowledge-bases/kb2/faq-template'
  cli.answer('POST', path, { status: 500 })
  await cli.run('faq', 'push', 'faq.yaml')
  cli.answer('POST', other, stored(['id-a', 'A'], ['id-b', 'B']))
  const toOther = ['faq', 'push', 'faq.yaml', '--kb', 'kb2', '--resend-unknown']
  expect(await cli.run(...toOther)).toMatchObject({ exitCode: 0 })
  const text = await cli.read('faq.yaml')
  expect(text).toContain('id: id-a')

  const open = await cli.run('faq', 'push', 'faq.yaml')
  expect(open.exitCode).toBe(9)
  expect(open.stderr).toContain('faq.yaml:3: "A"')
  expect(cli.requests).toHaveLength(2)
  cli.answer('POST', path, stored(['own-a', 'A'], ['own-b', 'B']))
  expect(await cli.run('faq', 'push', 'faq.yaml', '--resend-unknown')).toMatchObject({ exitCode: 0 })
  // The file keeps the ids of the first one that has given some.
  expect(await cli.read('faq.yaml')).toBe(text)

  await writeFile(join(cli.folder, 'faq.yaml'), text.replace('answer: b', 'answer: new'))
  cli.answer('PUT', path, { json: { faq: [] } })
  cli.answer('PUT', other, { json: { faq: [] } })
  await cli.run('faq', 'push', 'faq.yaml')
  await cli.run(...toOther)
  expect(cli.requests.slice(-2).map(({ body }) => body)).toMatchObject([
    { faq: [{ id: 'own-b', answer: 'new' }] },
    { faq: [{ id: 'id-b', answer: 'new' }] },
  ])
})

test('a rejected batch leaves nothing open; after completed batches, the push is partly done', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  cli.answer('POST', path, { status: 422 })
  expect((await cli.run('faq', 'push', 'faq.yaml')).exitCode).toBe(5)
  cli.answer('POST', path, stored(['id-a', 'A']))
  cli.answer('POST', path, { status: 401 })
  const result = await cli.run('faq', 'push', 'faq.yaml', '--batch-size', '1', '--json')
  expect(result.exitCode).toBe(8)
  expect(JSON.parse(result.stdout).error).toMatchObject({
    inserted: 1,
    done: 1,
    notDone: 1,
    cause: { kind: 'unauthorized' },
  })
  expect(await stateFiles(cli)).toEqual(['callyard.lock.yaml'])
  cli.answer('POST', path, stored(['id-b', 'B']))
  expect((await cli.run('faq', 'push', 'faq.yaml')).stdout).toContain('Inserted 1, updated 0, unchanged 1')
})

test('ids recorded by a push that ended before it wrote them: written now, also where the entries moved', async () => {
  const cli = await testCli({ 'faq.yaml': two })
  cli.answer('POST', path, bothStored)
  await cli.run('faq', 'push', 'faq.yaml')
  const lockfile = join(cli.folder, own, 'callyard.lock.yaml')
  const { targets } = (await readLockfile(lockfile, 'lock')).lockfile
  const [[name = '', section] = []] = Object.entries(targets)
  const recorded = section && findState(section, 'kb/faq.yaml')
  if (section === undefined || recorded === undefined) throw new Error('the lockfile lacks the file')
  // State between the response and the write of the file.
  const pending = ['a', 'b'].map(each => ({
    question: hashContent(each.toUpperCase()),
    content: String(recorded.entries?.[`id-${each}`]),
    id: `id-${each}`,
  }))
  const resources = { 'kb/faq.yaml': { ...recorded, pending } }
  await writeFile(lockfile, lockText({ targets: { [name]: { ...section, resources } } }))
  // Swapped by hand, with one edited text.
  await writeFile(
    join(cli.folder, 'faq.yaml'),
    'knowledgeBaseId: kb1\nfaq: [{question: B, answer: edited}, {question: A, answer: a}]\n',
  )
  cli.answer('PUT', path, { json: { faq: [] } })
  expect((await cli.run('faq', 'push', 'faq.yaml')).stdout).toContain('Inserted 0, updated 1, unchanged 1')
  expect(await cli.read('faq.yaml')).toBe(
    'knowledgeBaseId: kb1\nfaq: [{id: id-b, question: B, answer: edited}, {id: id-a, question: A, answer: a}]\n',
  )
  expect(cli.requests.at(-1)?.body).toEqual({ faq: [{ id: 'id-b', question: 'B', answer: 'edited' }] })
})

test('a symbolic link stays one, and the file keeps its mode', async () => {
  const cli = await testCli({ 'real/faq.yaml': two })
  await symlink('real/faq.yaml', join(cli.folder, 'faq.yaml'))
  await chmod(join(cli.folder, 'real/faq.yaml'), 0o640)
  cli.answer('POST', path, bothStored)
  expect((await cli.run('faq', 'push', 'faq.yaml')).exitCode).toBe(0)
  expect(await cli.read('real/faq.yaml')).toContain('id: id-a')
  expect((await stat(join(cli.folder, 'real/faq.yaml'))).mode & 0o777).toBe(0o640)
  expect(await stateFiles(cli, `real/${own}`)).toEqual(['callyard.lock.yaml'])
})

test('reports an unwritable location before anything is sent', async () => {
  const cli = await testCli({ 'faq.yaml': two, '.callyard': 'a file, not a folder' })
  const result = await cli.run('faq', 'push', 'faq.yaml')
  expect(result.exitCode).toBe(2)
  expect(result.stderr).toMatch(/cannot write .*nothing was sent/s)
  expect(cli.requests).toEqual([])
  await rm(join(cli.folder, '.callyard'))
  await mkdir(join(cli.folder, own, 'callyard.lock.yaml'), { recursive: true })
  expect((await cli.run('faq', 'push', 'faq.yaml')).exitCode).toBe(9)
  expect(cli.requests).toEqual([])
})

test.each([
  ['damaged', 'version: 1\ntargets: {a: 1}\n'],
  ['of a later version', 'version: 2\ntargets: {}\n'],
])('exits with 9 for a lockfile that is %s, and sends nothing', async (_, lockfile) => {
  const cli = await testCli({ 'faq.yaml': two, [`${own}/callyard.lock.yaml`]: lockfile })
  const result = await cli.run('faq', 'push', 'faq.yaml')
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain('is damaged or was written by another version')
  expect(cli.requests).toEqual([])
})

test('text from the environment is neither kept nor shown', async () => {
  const cli = await testCli(
    { 'faq.yaml': 'knowledgeBaseId: kb1\nfaq:\n- question: ${env:WHAT}\n  answer: a\n' },
    { env: { WHAT: 'hidden words' } },
  )
  cli.answer('POST', path, { status: 500 })
  const lost = await cli.run('faq', 'push', 'faq.yaml', '--json')
  expect(lost.exitCode).toBe(9)
  expect(lost.stderr + lost.stdout).not.toContain('hidden words')
  cli.answer('POST', path, stored(['id-a', 'hidden words']))
  expect((await cli.run('faq', 'push', 'faq.yaml', '--resend-unknown')).exitCode).toBe(0)
  for (const name of await stateFiles(cli)) {
    expect(await readFile(join(cli.folder, own, name), 'utf8')).not.toContain('hidden words')
  }
})

test('entries of a response that lack an id or a question take nothing from the others', async () => {
  const cli = await testCli({ 'kb.yaml': two })
  const entry = { question: 'A', answer: 'a' }
  cli.answer('POST', path, {
    json: {
      faq: [
        { ...entry, id: null },
        { ...entry, id: 'id-a' },
        { id: 'id-c', question: null },
        { id: 'id-b', question: 'B' },
      ],
    },
  })
  expect(await cli.run('faq', 'push', 'kb.yaml')).toMatchObject({ exitCode: 0 })
  expect(await cli.read('kb.yaml')).toContain('id: id-b')
  expect(await cli.read('kb.yaml')).toContain('id: id-a')
})
