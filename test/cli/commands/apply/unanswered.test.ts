import { expect, test } from 'vitest'
import {
  appliedProject,
  deskFiles,
  type TestProject,
  testProject,
  tool,
  unwrapped,
} from '../project/test-project.ts'

/** A project whose tool was sent without a response, so that the state of the service is unknown. */
async function withLostTool(): Promise<TestProject> {
  const project = await testProject({ ...deskFiles, 'tools/a.yaml': tool('a') })
  project.service.next('POST tool/book', 'taken')
  await project.apply()
  return project
}

test.each([
  ['reset', 'reset', 'unreachable', 'whether the service has tool/book is not known'],
  ['500', { status: 500 }, 'unreachable', 'whether the service has tool/book is not known'],
  ['a response without an id', { json: {} }, 'partial', 'accepted tool/book without returning an id'],
] as const)(
  'exits with 9 for a creation that ends with %s, and completes the rest',
  async (_, answer, kind, said) => {
    const project = await testProject({ ...deskFiles, 'tools/a.yaml': tool('a') })
    project.service.next('POST tool/book', answer)
    const result = await project.apply('--json')
    expect(result.exitCode).toBe(9)
    expect(JSON.parse(result.stdout)).toMatchObject({
      done: [{ address: 'tool/a' }],
      failed: [{ address: 'tool/book', unknown: true, kind }],
      skipped: [{ address: 'assistant/desk' }],
    })
    expect(unwrapped(result.stderr)).toContain(said)
    expect(unwrapped(result.stderr)).toContain('callyard apply --adopt tool/book=<id>')
    expect(project.service.requestNames.filter(name => name === 'POST tool/book')).toHaveLength(1)
    expect(await project.recorded('tool/book')).toEqual({
      body: {},
      creating: { body: { type: 'function', function: { name: 'book' } } },
    })
  },
)

test('the next run, and the next plan, stop with 9 before anything is sent', async () => {
  const project = await withLostTool()
  const asked = project.service.requestNames.length
  for (const command of [['apply', '--yes'], ['plan']]) {
    const result = await project.run(...command, '--json')
    expect(result.exitCode).toBe(9)
    const { error } = JSON.parse(result.stdout)
    expect(error).toMatchObject({ kind: 'conflict', unknown: ['tool/book'] })
    expect(error.hint).toContain('callyard apply --adopt tool/book=<id>')
    expect(error.hint).toContain('callyard apply --forget tool/book')
  }
  expect(project.service.requestNames).toHaveLength(asked)
})

test('--adopt adopts the resource and continues with the rest', async () => {
  const project = await withLostTool()
  const asked = project.service.requestNames.length
  const result = await project.apply('--adopt', 'tool/book=t-book')
  expect(result.exitCode).toBe(0)
  expect(project.service.requestNames.slice(asked)).toEqual(['POST assistant/Desk'])
  expect(project.service.requests.at(-1)?.body).toMatchObject({ assistantToolIds: ['t-book'] })
  expect(await project.recorded('tool/book')).toEqual({
    id: 't-book',
    body: { type: 'function', function: { name: 'book' } },
  })
})

test('--adopt takes an assistant for what its file says', async () => {
  const project = await testProject({ 'assistants/desk.yaml': 'name: Desk\n' })
  const result = await project.apply('--adopt', 'assistant/desk=a-9')
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Up to date: 1 resource of target default.\n' })
  expect(await project.recorded('assistant/desk')).toEqual({ id: 'a-9', body: { name: 'Desk' } })
  expect(project.service.requestNames).toEqual([])
})

test('settles outcomes one at a time, and keeps each while others are unknown', async () => {
  const project = await testProject({
    'tools/a.yaml': tool('a'),
    'tools/b.yaml': tool('b'),
    'tools/c.yaml': tool('c'),
  })
  for (const name of ['a', 'b', 'c'])
    project.service.next(`POST tool/${name}`, { status: 500, json: { message: 'boom' } })
  const first = await project.apply('--concurrency', '1')
  expect(first.exitCode).toBe(9)
  expect(unwrapped(first.stdout)).toContain('outcome unknown (the service responded 500: boom)')
  expect(unwrapped(first.stderr)).toContain(
    'callyard apply --adopt tool/a=<id> --adopt tool/b=<id> --adopt tool/c=<id>; for the others, callyard apply --forget tool/a --forget tool/b --forget tool/c. You can do this one at a time',
  )
  const second = await project.apply('--adopt', 'tool/a=t-a')
  expect(second).toMatchObject({ exitCode: 9 })
  expect(second.stderr).toContain('tool/a is now t-a')
  expect(unwrapped(second.stderr)).toContain('callyard apply --forget tool/b --forget tool/c')
  expect(second.stderr).not.toContain('--forget tool/a')
  expect(await project.recorded('tool/a')).toMatchObject({ id: 't-a' })
  expect(await project.apply('--forget', 'tool/b')).toMatchObject({ exitCode: 9 })
  expect(await project.recorded('tool/b')).toBeUndefined()
  const sent = project.service.requestNames.length
  expect(await project.apply('--forget', 'tool/c')).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames.slice(sent).toSorted()).toEqual(['POST tool/b', 'POST tool/c'])
  expect(await project.recorded('tool/c')).toMatchObject({ id: 't-c' })
})

test.each([
  ['--adopt', 'tool/bok=t1', 'did you mean tool/book?'],
  ['--adopt', 'tool/book', 'pass --adopt <address>=<id>'],
  ['--adopt', 'kb/faq=k1', 'cannot be adopted'],
  ['--forget', 'assistant/none', 'has no assistant/none at this target'],
])('%s %s is wrong usage', async (flag, value, said) => {
  const project = await appliedProject({
    ...deskFiles,
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: kb1\nfaq: []\n',
  })
  const lock = await project.read('callyard.lock.yaml')
  const asked = project.service.requestNames.length
  const result = await project.apply(flag, value)
  expect(result.exitCode).toBe(2)
  expect(result.stderr).toContain(said)
  expect(project.service.requestNames).toHaveLength(asked)
  expect(await project.read('callyard.lock.yaml')).toBe(lock)
})

test('tries an update without a response three times, and sends the field again after it was changed back', async () => {
  const project = await appliedProject()
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  for (let each = 0; each < 3; each += 1) project.service.next('PATCH t-book', 'taken')
  const failed = await project.apply()
  expect(failed.exitCode).toBe(6)
  expect(project.service.requestNames.slice(2)).toEqual(['PATCH t-book', 'PATCH t-book', 'PATCH t-book'])
  expect(await project.recorded('tool/book')).toMatchObject({
    id: 't-book',
    updating: { body: { async: true } },
  })

  await project.write('tools/book.yaml', tool('book'))
  const plan = await project.run('plan')
  expect(unwrapped(plan.stdout)).toContain('what the service has is unknown')
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.bodiesOf('PATCH t-book').at(-1)).toEqual({ async: false })
  expect(await project.recorded('tool/book')).toEqual({
    id: 't-book',
    body: { type: 'function', function: { name: 'book' } },
  })
})
