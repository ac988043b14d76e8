import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

const path = '/kb/v1/knowledge-bases/kb1/faq-template'
const three = `knowledgeBaseId: kb1
faq:
  - question: A
    answer: a
  - question: B
    answer: b
  - question: C
    answer: c
`

/** A push whose response has no ids: they are unknown, and nothing is inserted again. */
async function lostBatch() {
  const cli = await testCli({ 'faq.yaml': three })
  cli.answer('POST', path, { body: 'not JSON' })
  const lost = await cli.run('faq', 'push', 'faq.yaml')
  expect(lost.exitCode).toBe(8)
  expect(lost.stderr.replace(/\s+/g, ' ')).toContain('faq push faq.yaml --adopt-batch ids.txt')
  expect(lost.stderr).toContain('--resend-unknown')
  return cli
}

test('ids in the order of the batch settle it: nothing is inserted again', async () => {
  const cli = await lostBatch()
  await writeFile(join(cli.folder, 'ids.txt'), 'id-a\nid-b\nid-c\n')
  const preview = await cli.run('faq', 'push', 'faq.yaml', '--adopt-batch', 'ids.txt', '--dry-run')
  expect(preview.stdout).toContain('Would insert 0, update 0, leave 3 unchanged')
  expect(await cli.read('faq.yaml')).toBe(three)
  const settled = await cli.run('faq', 'push', 'faq.yaml', '--adopt-batch', 'ids.txt', '--json')
  expect(settled.exitCode, settled.stderr).toBe(0)
  expect(JSON.parse(settled.stdout)).toMatchObject({
    inserted: 0,
    unchanged: 3,
    ids: [
      { id: 'id-a', question: 'A' },
      { id: 'id-b', question: 'B' },
      { id: 'id-c', question: 'C' },
    ],
  })
  expect(await cli.read('faq.yaml')).toContain('- id: id-b\n    question: B')
  expect(await cli.run('faq', 'push', 'faq.yaml')).toMatchObject({ exitCode: 0 })
  expect(cli.requests).toHaveLength(1)
})

test('ids with questions settle some; the others are asked about still, or sent again', async () => {
  const cli = await lostBatch()
  const adopt = async (ids: string, ...flags: string[]) =>
    cli.runWith({ input: ids }, 'faq', 'push', 'faq.yaml', '--adopt-batch', '-', ...flags)
  const some = await adopt('id-c\tC\n')
  expect(some.exitCode).toBe(9)
  expect(some.stderr).toContain('"A"')
  expect(some.stderr).not.toContain('"C"')
  expect(await cli.read('faq.yaml')).toContain('- id: id-c\n    question: C')
  cli.answer('POST', path, { json: { faq: [{ id: 'id-b', question: 'B', answer: 'b' }] } })
  const rest = await adopt('id-a\tA\n', '--resend-unknown')
  expect(rest.exitCode, rest.stderr).toBe(0)
  expect(cli.requests.at(-1)?.body).toEqual({ faq: [{ question: 'B', answer: 'b' }] })
  expect(cli.requests).toHaveLength(2)
})

test('an entry removed from the file meanwhile takes its id in order and is not inserted', async () => {
  const cli = await lostBatch()
  await writeFile(join(cli.folder, 'faq.yaml'), three.replace('  - question: B\n    answer: b\n', ''))
  await writeFile(join(cli.folder, 'ids.txt'), 'id-a\nid-b\nid-c\n')
  const settled = await cli.run('faq', 'push', 'faq.yaml', '--adopt-batch', 'ids.txt')
  expect(settled.exitCode, settled.stderr).toBe(0)
  // Put back, it is the entry that the service has.
  const text = await cli.read('faq.yaml')
  await writeFile(join(cli.folder, 'faq.yaml'), `${text}  - question: B\n    answer: b\n`)
  expect(await cli.run('faq', 'push', 'faq.yaml')).toMatchObject({ exitCode: 0 })
  expect(await cli.read('faq.yaml')).toContain('- id: id-b\n    question: B')
  expect(cli.requests).toHaveLength(1)
})

test.each([
  ['two ids for three entries', 'a\nb\n', '2 ids cannot be matched by order with the 3 open entries'],
  ['a question that is not open', 'a\tD\n', 'line 1 names a question that is not open: "D"'],
  ['an id twice', 'a\nb\na\n', 'ids.txt:3 repeats line 1'],
])('%s: 2, and the batch stays open', async (_what, ids, message) => {
  const cli = await lostBatch()
  await writeFile(join(cli.folder, 'ids.txt'), ids)
  const result = await cli.run('faq', 'push', 'faq.yaml', '--adopt-batch', 'ids.txt')
  expect(result.exitCode).toBe(2)
  expect(result.stderr.replace(/\s+/g, ' ')).toContain(message)
  expect(await cli.read('faq.yaml')).toBe(three)
  expect((await cli.run('faq', 'push', 'faq.yaml')).exitCode).toBe(9)
  expect(cli.requests).toHaveLength(1)
})

test('is rejected without an open batch, or with an id of another entry', async () => {
  const cli = await lostBatch()
  await writeFile(join(cli.folder, 'ids.txt'), 'id-a\nid-b\nid-c\n')
  await writeFile(join(cli.folder, 'faq.yaml'), `${three}  - id: id-c\n    question: D\n    answer: d\n`)
  const taken = await cli.run('faq', 'push', 'faq.yaml', '--adopt-batch', 'ids.txt')
  expect(taken).toMatchObject({ exitCode: 2 })
  expect(taken.stderr).toContain('of another entry')
  await writeFile(join(cli.folder, 'faq.yaml'), three)
  expect(await cli.run('faq', 'push', 'faq.yaml', '--adopt-batch', 'ids.txt')).toMatchObject({ exitCode: 0 })
  const again = await cli.run('faq', 'push', 'faq.yaml', '--adopt-batch', 'ids.txt')
  expect(again).toMatchObject({ exitCode: 2 })
  expect(again.stderr).toContain('this file has no open batch')
})
