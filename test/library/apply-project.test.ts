import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { starterProject } from '../../src/cli/commands/starter-project.ts'
import { openProjectForSandbox } from '../../src/library/apply-project.ts'
import { loadRecordStore, openWorld } from '../../src/sandbox/index.ts'
import { realClock } from '../helpers/real-clock.ts'
import { testCli } from '../helpers/test-cli.ts'
import { startTestSandbox } from '../helpers/test-sandbox.ts'
import { folderOf } from '../project/apply/project-on-disk.ts'

const options = { cwd: '/', env: {} }

async function world() {
  const opened = await openWorld({ pace: 0, seed: 7, clock: realClock, baseUrl: () => '' })
  onTestFinished(opened.close)
  return opened
}

test('leaves the resources of an apply in a sandbox, and no extra files', async () => {
  const files = {
    ...starterProject(),
    'assistants/night.yaml': 'name: Night desk\nassistantToolIds: ["${tool:book-appointment}"]\n',
    'knowledge-bases/priced.yaml': 'knowledgeBaseId: prices\nfaq:\n- {question: Q, answer: A}\n',
  }
  const cli = await testCli(files)
  const data = join(cli.folder, 'journal.ndjson')
  const { baseUrl, apiKey, close } = await startTestSandbox({ data, seed: 7 })
  const applied = await cli.runWith(
    { clock: realClock, env: { CALLYARD_BASE_URL: baseUrl, CALLYARD_API_KEY: apiKey } },
    'apply',
    '--yes',
    '--concurrency',
    '1',
  )
  expect(applied).toMatchObject({ exitCode: 0 })
  await close()

  const folder = await folderOf(files)
  const before = (await readdir(folder, { recursive: true })).sort()
  const opened = await world()
  const { store } = opened
  const project = await openProjectForSandbox('.', { cwd: folder, env: {} })
  const ids = await project.applyTo(opened)
  expect(records(store)).toEqual(records(await loadRecordStore(data)))
  expect([...ids.keys()].sort()).toEqual([
    'assistant/front-desk',
    'assistant/night',
    'kb/priced',
    'kb/workshop',
    'tool/book-appointment',
  ])
  expect(store.assistant(ids.get('assistant/front-desk') ?? '')).toMatchObject({ name: 'Front desk' })
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(before)
})

/** In an order of their own, without what differs with the order of their creation: ids and times. */
function records(store: Awaited<ReturnType<typeof loadRecordStore>>): string[] {
  const own = new Set(['_id', 'id', 'teamId', 'createdAt', 'updatedAt'])
  const tools = store.snapshot().flatMap(entry => (entry.kind === 'tool' ? [entry.record._id] : []))
  return store
    .snapshot()
    .filter(({ kind }) => kind !== 'team')
    .map(entry =>
      JSON.stringify(entry, (key, value: unknown) => {
        if (own.has(key)) return undefined
        return tools.includes(String(value)) ? '(a tool)' : value
      }),
    )
    .sort()
}

test('inserts entries with ids of the service under new ids', async () => {
  const file = 'knowledgeBaseId: prices\nfaq:\n- {id: e1, question: Q, answer: A}\n'
  const folder = await folderOf({ 'knowledge-bases/prices.yaml': file })
  const opened = await world()
  const { store } = opened
  await (await openProjectForSandbox(folder, options)).applyTo(opened)
  expect([...(store.knowledgeBase('prices')?.entries.values() ?? [])]).toEqual([
    { id: expect.not.stringMatching('^e1$'), question: 'Q', answer: 'A' },
  ])
  expect(await readFile(join(folder, 'knowledge-bases/prices.yaml'), 'utf8')).toBe(file)
})

test('rejects a folder without callyard.yaml, even inside a project', async () => {
  const folder = await folderOf({ 'assistants/desk.yaml': 'name: Desk\n' })
  const error = await openProjectForSandbox(join(folder, 'assistants'), options).catch(
    (error: unknown) => error,
  )
  expect(error).toMatchObject({ code: 'no-project-in', kind: 'invalid' })
  expect(String(error)).toContain(join(folder, 'assistants', 'callyard.yaml'))
})

test('the environment is what is given, and files stay inside of the project', async () => {
  const folder = await folderOf({
    'assistants/desk.yaml': 'name: ${env:DESK}\nassistantSystemPrompt: ${file:../../../etc/hostname}\n',
  })
  await expect(openProjectForSandbox(folder, { ...options, env: { DESK: 'Desk' } })).rejects.toMatchObject({
    diagnostics: [{ path: ['assistantSystemPrompt'] }],
  })
  await expect(openProjectForSandbox(folder, options)).rejects.toMatchObject({
    diagnostics: [{ path: ['name'] }, { path: ['assistantSystemPrompt'] }],
  })
})

test('a rejection by the sandbox is an error about the project', async () => {
  const folder = await folderOf({
    'assistants/desk.yaml': 'name: Desk\nassistantToolIds: [of-another-service]\n',
  })
  const project = await openProjectForSandbox(folder, options)
  await expect(project.applyTo(await world())).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('"of-another-service"'),
    hint: 'create the tool first and use its _id',
  })
})

test('the vocabulary of the project wins', async () => {
  const folder = await folderOf({
    'callyard.yaml': 'vocabulary: { <provider_1>: acme }\n',
    'assistants/desk.yaml': 'name: Desk\nassistantProvider: acme\n',
  })
  const { vocabulary } = await openProjectForSandbox(folder, {
    ...options,
    vocabulary: { '<provider_1>': 'other' },
  })
  expect(vocabulary).toEqual({ '<provider_1>': 'acme' })
})
