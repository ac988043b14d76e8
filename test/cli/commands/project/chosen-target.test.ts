import { expect, test } from 'vitest'
import { deskFiles, type TestProject, testProject, tool, unwrapped } from './test-project.ts'

const numbers = ['--to', '+12025550123', '--from', '+12025550100']
const faq = 'knowledge-bases/faq.yaml'
const files = {
  ...deskFiles,
  [faq]: 'knowledgeBaseId: kb1\nfaq: [{ question: A, answer: a }]\n',
  'tools/other.yaml': tool('other', 'server: { url: "https://example.com/${tool:book}" }\n'),
}

/** A project that is known as target `eu` alone. */
async function knownAsEu(): Promise<TestProject> {
  const project = await testProject(files)
  expect(await project.apply('--target', 'eu')).toMatchObject({ exitCode: 0 })
  return project
}

test('assistant create and tool create use the ids of the given target', async () => {
  const project = await knownAsEu()
  const again = ['--target', 'eu', '--allow-duplicate']
  const desk = await project.run('assistant', 'create', 'assistants/desk.yaml', ...again)
  expect(desk).toMatchObject({ exitCode: 0, stdout: 'Created assistant a-Desk-2 (Desk)\n' })
  expect(await project.recorded('assistant/desk', 'eu')).toMatchObject({ id: 'a-Desk-2' })
  expect(project.service.requests.at(-1)?.body).toMatchObject({ assistantToolIds: ['t-book'] })
  expect(await project.run('tool', 'create', 'tools/other.yaml', ...again)).toMatchObject({ exitCode: 0 })
  expect(project.service.requests.at(-1)?.body).toMatchObject({
    server: { url: 'https://example.com/t-book' },
  })
})

test.each([
  ['call start', ['call', 'start', '--yes', ...numbers]],
  ['call connect', ['call', 'connect', '--yes', '--phone-number-id', 'pn_1', ...numbers.slice(0, 2)]],
])('%s accepts the ids of the given target', async (_, command) => {
  const project = await knownAsEu()
  const more = ['--assistant', 'assistants/desk.yaml', '--dry-run', '--json']
  const result = await project.run(...command, ...more, '--target', 'eu')
  expect(result.exitCode).toBe(0)
  expect(JSON.parse(result.stdout).body.assistant).toEqual({ name: 'Desk', assistantToolIds: ['t-book'] })
})

test('tool update uses the given target and mentions it in its hints', async () => {
  const project = await knownAsEu()
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  const update = (id: string) => project.run('tool', 'update', id, 'tools/book.yaml', '--target', 'eu')
  const other = await update('t-x')
  expect(other.exitCode).toBe(9)
  expect(unwrapped(other.stderr)).toContain('callyard apply --adopt tool/book=t-x --target eu')
  expect(unwrapped(other.stderr)).toContain('callyard tool update t-book … --target eu')
  expect(await update('t-book')).toMatchObject({ exitCode: 0, stdout: 'Updated tool t-book: async\n' })
  expect(await project.recorded('tool/book', 'eu')).toMatchObject({ id: 't-book', body: { async: true } })
})

test('uses the ids of the given target for a change of tools', async () => {
  const project = await knownAsEu()
  await project.write('change.yaml', 'server: { url: "https://example.com/${tool:book}" }\n')
  const result = await project.run('tool', 'update', 't-9', 'change.yaml', '--target', 'eu')
  expect(result).toMatchObject({ exitCode: 0 })
  expect(project.service.bodiesOf('PATCH t-9')).toEqual([{ server: { url: 'https://example.com/t-book' } }])
})

test('faq push and its --dry-run use the given target', async () => {
  const project = await knownAsEu()
  await project.write(faq, (await project.read(faq)).replace('answer: a', 'answer: new'))
  const push = ['faq', 'push', faq, '--target', 'eu']
  expect((await project.run(...push, '--dry-run')).stdout).toContain('Would insert 0, update 1')
  expect(await project.run(...push)).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames.at(-1)).toBe('PUT kb/kb1')
  expect(await project.run('plan', '--target', 'eu', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('rejects a resource that a target lacks with the apply command that creates it', async () => {
  const project = await testProject(deskFiles)
  const result = await project.run('assistant', 'create', 'assistants/desk.yaml', '--target', 'eu')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('callyard.lock.yaml has no tool/book at target eu')
  expect(result.stderr).toContain('hint: create it there: callyard apply --target eu')
})

test('choices name the given target', async () => {
  const project = await knownAsEu()
  await project.remove(faq)
  const forgetting = ['apply', '--forget', 'kb/faq', '--target', 'eu']
  expect((await project.run('plan', '--target', 'eu')).stdout).toContain(`callyard ${forgetting.join(' ')}`)
  const { stdout } = await project.run('plan', '--target', 'eu', '--json')
  expect(JSON.parse(stdout).actions).toContainEqual(
    expect.objectContaining({ choices: [expect.objectContaining({ command: forgetting })] }),
  )
})

test('a name that no section can have is a usage error', async () => {
  const project = await testProject(deskFiles)
  const result = await project.run('tool', 'create', 'tools/book.yaml', '--target', 'a b')
  expect(result.exitCode).toBe(2)
  expect(project.service.requestNames).toEqual([])
})
