import { expect, test } from 'vitest'
import { appliedProject, everythingIn, testProject, unwrapped } from '../project/test-project.ts'

const file = 'knowledge-bases/faq.yaml'
const faq = 'knowledgeBaseId: kb1\nfaq:\n  - question: A\n    answer: a\n  - question: B\n    answer: b\n'
const files = {
  [file]: faq,
  'assistants/desk.yaml':
    'name: Desk\nassistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: ["${kb:faq}"]\n',
}
const ownLedger = 'knowledge-bases/.callyard'

test('writes to the lockfile: plan says unchanged afterwards', async () => {
  const project = await testProject(files)
  const result = await project.run('faq', 'push', file)
  expect(result).toMatchObject({
    exitCode: 0,
    stdout: 'Inserted 2, updated 0, unchanged 0 in knowledge base kb1\n',
  })
  expect(await project.read(file)).toContain('  - id: f-A\n    question: A\n')
  expect(await project.recorded('kb/faq')).toEqual({
    body: { knowledgeBaseId: 'kb1' },
    entries: { 'f-A': expect.any(String), 'f-B': expect.any(String) },
    texts: { 'f-A': { question: 'A', answer: 'a' }, 'f-B': { question: 'B', answer: 'b' } },
  })
  expect(await project.exists(ownLedger)).toBe(false)
  expect(await project.exists('.callyard/project.lock')).toBe(false)

  const plan = JSON.parse((await project.run('plan', '--json')).stdout)
  expect(plan.actions[0]).toMatchObject({ address: 'kb/faq', action: 'unchanged', unchangedEntries: 2 })
  await project.apply()
  expect(project.service.requestNames).toEqual(['POST kb/kb1', 'POST assistant/Desk'])
})

test('after an apply it sends only what changed', async () => {
  const project = await appliedProject(files)
  await project.write(file, (await project.read(file)).replace('answer: b', 'answer: new'))
  const { stdout } = await project.run('faq', 'push', file, '--json')
  expect(JSON.parse(stdout)).toMatchObject({ inserted: 0, updated: 1, unchanged: 1 })
  expect(project.service.bodiesOf('PUT kb/kb1')).toEqual([
    { faq: [{ id: 'f-B', question: 'B', answer: 'new' }] },
  ])
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test.each([[[]], [['--dry-run']]])(
  '--kb elsewhere for a file of the project: 2, nothing sent or written %j',
  async more => {
    const project = await appliedProject(files)
    const before = await everythingIn(project.folder)
    const asked = project.service.requestNames.length
    const result = await project.run('faq', 'push', file, '--kb', 'kb9', ...more)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toBe(
      [
        `error: ${file} belongs to a project, and its ids are those of knowledge base kb1; nothing was sent`,
        'hint: for kb9, copy the file to another folder and remove the ids from the copy; or change knowledgeBaseId',
        '',
      ].join('\n'),
    )
    expect(project.service.requestNames).toHaveLength(asked)
    expect(await everythingIn(project.folder)).toEqual(before)
  },
)

test('the refusal of --kb does not show an id from the environment', async () => {
  const project = await testProject(
    { ...files, [file]: faq.replace('kb1', '${env:KB}') },
    { KB: 'kb-of-production' },
  )
  const result = await project.run('faq', 'push', file, '--kb', 'kb9')
  expect(result.exitCode).toBe(2)
  expect(result.stderr).toContain('its ids are those of the knowledge base that it names')
  expect(result.stderr).not.toContain('kb-of-production')
})

test('a CSV file names no knowledge base, so --kb is required', async () => {
  const project = await testProject({ 'knowledge-bases/more.csv': 'question,answer\nC,c\n' })
  expect(await project.run('faq', 'push', 'knowledge-bases/more.csv', '--kb', 'kb9')).toMatchObject({
    exitCode: 0,
  })
  expect(project.service.requestNames).toEqual(['POST kb/kb9'])
})

test('hashes entries with a knowledge base from the environment as apply does', async () => {
  const project = await testProject(
    {
      ...files,
      [file]: 'knowledgeBaseId: kb1\nfaq:\n  - question: A\n    answer: see ${kb:other}\n',
      'knowledge-bases/other.yaml': 'knowledgeBaseId: "${env:OTHER}"\nfaq: []\n',
    },
    { OTHER: 'kb-of-production' },
  )
  expect(await project.run('faq', 'push', file)).toMatchObject({ exitCode: 0 })
  expect(project.service.bodiesOf('POST kb/kb1')).toEqual([
    { faq: [{ question: 'A', answer: 'see kb-of-production' }] },
  ])
  expect(await project.read('callyard.lock.yaml')).not.toContain('kb-of-production')
  const { actions } = JSON.parse((await project.run('plan', '--json')).stdout)
  expect(actions.find(({ address }: { address: string }) => address === 'kb/faq')).toMatchObject({
    action: 'unchanged',
    unchangedEntries: 1,
  })
  expect((await project.run('faq', 'push', file, '--dry-run')).stdout).toContain('leave 1 unchanged')
})

test('--kb of the file itself is the project’s', async () => {
  const project = await testProject(files)
  await project.run('faq', 'push', file, '--kb', 'kb1')
  expect((await project.recorded('kb/faq'))?.entries).toHaveProperty('f-A')
})

test('--dry-run sends nothing and writes nothing, and needs no key', async () => {
  const project = await testProject(files, { CALLYARD_API_KEY: undefined })
  const before = await everythingIn(project.folder)
  const result = await project.run('faq', 'push', file, '--dry-run', '--json')
  expect(result.exitCode).toBe(0)
  expect(JSON.parse(result.stdout)).toMatchObject({
    dryRun: true,
    insert: [
      { line: 3, question: 'A' },
      { line: 5, question: 'B' },
    ],
    update: [],
    unchanged: 0,
  })
  expect(await everythingIn(project.folder)).toEqual(before)
  expect(project.service.requestNames).toEqual([])
})

test('--dry-run knows what apply has sent', async () => {
  const project = await appliedProject(files)
  await project.write(file, (await project.read(file)).replace('answer: b', 'answer: new'))
  const before = await everythingIn(project.folder)
  const { stdout } = await project.run('faq', 'push', file, '--dry-run')
  expect(stdout).toContain('Would insert 0, update 1, leave 1 unchanged')
  expect(await everythingIn(project.folder)).toEqual(before)
})

test('a lost batch stops push and apply alike; --resend-unknown sends it again', async () => {
  const project = await testProject(files)
  project.service.next('POST kb/kb1', 'reset')
  const lost = await project.run('faq', 'push', file)
  expect(lost.exitCode).toBe(9)
  expect(lost.stderr).toContain('run again with --resend-unknown')
  for (const command of [['faq', 'push', file], ['apply', '--yes'], ['plan']])
    expect((await project.run(...command)).exitCode).toBe(9)
  expect(project.service.requestNames).toEqual(['POST kb/kb1'])
  expect(await project.run('faq', 'push', file, '--resend-unknown')).toMatchObject({ exitCode: 0 })
  expect(await project.recorded('kb/faq')).not.toHaveProperty('pending')
  await project.apply()
  expect(project.service.requestNames).toEqual(['POST kb/kb1', 'POST kb/kb1', 'POST assistant/Desk'])
})

test('the command in the error settles a batch that apply lost', async () => {
  const project = await testProject(files)
  project.service.next('POST kb/kb1', 'reset')
  for (const result of [await project.apply(), await project.apply(), await project.run('plan')]) {
    expect(result.exitCode).toBe(9)
    const said = unwrapped(result.stderr)
    for (const part of [
      `callyard faq push ${file}`,
      '--adopt-batch ids.txt',
      'callyard apply --forget kb/faq',
    ])
      expect(said).toContain(part)
    expect(said).not.toMatch(/--resend-unknown|--adopt kb\/faq=/)
  }
  await project.write('ids.txt', 'id-a\nid-b\n')
  const adopted = await project.run('faq', 'push', file, '--adopt-batch', 'ids.txt')
  expect(adopted.exitCode, adopted.stderr).toBe(0)
  expect(await project.recorded('kb/faq')).not.toHaveProperty('pending')
  expect(await project.read(file)).toContain('id-b')
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames.filter(each => each === 'POST kb/kb1')).toHaveLength(1)
})

test('a file of the project at another base URL: 9', async () => {
  const project = await appliedProject(files)
  project.env.CALLYARD_BASE_URL = 'http://127.0.0.1:9'
  const result = await project.run('faq', 'push', file)
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain('target default is at')
})

test('a CSV file outside of knowledge-bases/ is pushed as ever', async () => {
  const project = await testProject({ ...files, 'more.csv': 'question,answer\nC,c\n' })
  expect(await project.run('faq', 'push', 'more.csv', '--kb', 'kb1')).toMatchObject({ exitCode: 0 })
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
  expect(await project.exists('.callyard/faq/more.csv/callyard.lock.yaml')).toBe(true)
})

test('rejects a file with the id of another knowledge base, as apply does', async () => {
  const project = await appliedProject(files)
  const lock = await project.read('callyard.lock.yaml')
  const text = await project.read('knowledge-bases/faq.yaml')
  await project.write(
    'knowledge-bases/faq.yaml',
    text.replace('knowledgeBaseId: kb1', 'knowledgeBaseId: kb2'),
  )
  const asked = project.service.requestNames.length
  for (const more of [[], ['--dry-run']]) {
    const result = await project.run('faq', 'push', 'knowledge-bases/faq.yaml', ...more)
    expect(result).toMatchObject({ exitCode: 9, stdout: '' })
    expect(result.stderr).toContain('names another knowledge base than callyard.lock.yaml')
  }
  expect(project.service.requestNames).toHaveLength(asked)
  expect(await project.read('callyard.lock.yaml')).toBe(lock)
})
