import { expect, test } from 'vitest'
import {
  appliedProject,
  assistant,
  deskFiles,
  testProject,
  tool,
  unwrapped,
  upToDate,
} from '../project/test-project.ts'

const kb = 'knowledge-bases/faq.yaml'
const faq = 'knowledgeBaseId: kb1\nfaq:\n  - { question: A, answer: a }\n  - { question: B, answer: b }\n'

test('--adopt prints the current resource and its previous id', async () => {
  const project = await testProject(deskFiles)
  const first = await project.apply('--adopt', 'tool/book=6650f0c2')
  expect(first.stderr).toMatch(/^tool\/book is now 6650f0c2$/m)
  const second = await project.apply('--adopt', 'tool/book=t-2')
  expect(second.stderr).toMatch(/^tool\/book is now t-2; it was 6650f0c2$/m)
})

test('--adopt of a renamed file says whose id it was', async () => {
  const project = await appliedProject({ 'tools/book.yaml': tool('book') })
  await project.remove('tools/book.yaml')
  await project.write('tools/reserve.yaml', tool('book'))
  const plan = await project.run('plan')
  expect(unwrapped(plan.stdout)).toContain('callyard apply --adopt tool/reserve=t-book')
  const { stderr, stdout } = await project.apply('--adopt', 'tool/reserve=t-book')
  expect(stderr).toMatch(/^tool\/reserve is now t-book; that was tool\/book$/m)
  expect(stdout).toMatch(upToDate('1 resource'))
})

test('--forget lists the ids that the lockfile no longer has', async () => {
  const project = await appliedProject({ ...deskFiles, 'callyard.yaml': 'assistants: replace\n' })
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 20\n'))
  await project.apply()
  await project.remove('assistants/desk.yaml')
  const { stderr } = await project.apply('--forget', 'tool/book=t-book', '--forget', 'assistant/desk')
  expect(stderr).toMatch(/^forgot tool\/book, which was t-book$/m)
  expect(stderr).toMatch(/^forgot assistant\/desk, which was a-Desk-2, and before that a-Desk$/m)
})

test('--forget of a creation without a response prints the outcome and the remaining id', async () => {
  const project = await testProject({ ...deskFiles, 'callyard.yaml': 'assistants: replace\n' })
  project.service.next('POST tool/book', 'taken')
  await project.apply()
  const tools = await project.apply('--forget', 'tool/book')
  expect(tools.stderr).toMatch(/^forgot the unconfirmed creation of tool\/book$/m)
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 20\n'))
  project.service.next('POST assistant/Desk', 'taken')
  await project.apply()
  const assistants = await project.apply('--forget', 'assistant/desk')
  expect(assistants.stderr).toMatch(
    /^forgot the unconfirmed creation of assistant\/desk, which is still a-Desk$/m,
  )
})

test('--forget of a knowledge base lists the entry ids that no file contains', async () => {
  const project = await appliedProject({ [kb]: faq })
  expect((await project.apply('--forget', 'kb/faq')).stderr).toMatch(/^forgot the entries of kb\/faq$/m)
  // Entered again, they have other ids here than in the file.
  const entries = (await project.recorded('kb/faq'))?.entries
  expect(entries).toMatchObject({ 'f-A': { id: 'f-A-2' }, 'f-B': { id: 'f-B-2' } })
  expect((await project.apply('--forget', 'kb/faq')).stderr).toMatch(
    /^forgot the entries of kb\/faq, which were f-A-2, f-B-2$/m,
  )
  await project.remove(kb)
  expect((await project.apply('--forget', 'kb/faq')).stderr).toMatch(
    /^forgot the entries of kb\/faq, which were f-A-3, f-B-3$/m,
  )
})

test('--adopt and --forget accept an entry by its id in the file', async () => {
  const project = await appliedProject({ [kb]: faq })
  const adopted = await project.apply('--adopt', 'kb/faq:f-A=f-9')
  expect(adopted.stderr).toMatch(/^kb\/faq:f-A is now f-9; it was f-A$/m)
  const forgotten = await project.apply('--forget', 'kb/faq:f-A')
  expect(forgotten.stderr).toMatch(/^forgot kb\/faq:f-A, which was f-9$/m)
})

test('--adopt of a renamed knowledge base says whose entries it has', async () => {
  const project = await appliedProject({ [kb]: faq })
  const pushed = await project.read(kb)
  await project.remove(kb)
  await project.write('knowledge-bases/new.yaml', pushed)
  const result = await project.apply('--adopt', 'kb/new=kb/faq')
  expect(result.stderr).toMatch(/^kb\/new now has the entries of kb\/faq$/m)
  expect(result.stdout).toContain('Up to date')
})

test('does not report what was not written', async () => {
  const project = await appliedProject()
  const result = await project.apply('--forget', 'tool/book=t-book', '--adopt', 'tool/none=t-2')
  expect(result.exitCode).toBe(2)
  expect(result.stderr).not.toContain('forgot')
  expect(await project.recorded('tool/book')).toMatchObject({ id: 't-book' })
})

test('a unique beginning of an entry’s id is enough to forget it', async () => {
  const project = await appliedProject({
    'knowledge-bases/faq.yaml':
      'knowledgeBaseId: kb1\nfaq:\n  - { question: Open?, answer: a }\n  - { question: Other?, answer: b }\n',
  })
  const several = await project.apply('--forget', 'kb/faq:f-O')
  expect(several.exitCode).toBe(2)
  expect(several.stderr).toContain('give more of the id: f-Open?, f-Other?')
  const entry = await project.apply('--forget', 'kb/faq:f-Op')
  expect(entry.stderr).toContain('forgot kb/faq:f-Open?, which was f-Open?')
})
