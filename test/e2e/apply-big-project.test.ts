import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin } from '../helpers/run-bin.ts'
import {
  assistantFile,
  environmentOf,
  knowledgeBaseFile,
  type RecordingService,
  recordingService,
  toolFile,
} from './apply-helpers.ts'

const big = everyCase
  ? { tools: 100, kbs: 20, entriesEach: 500, assistants: 200 }
  : { tools: 50, kbs: 2, entriesEach: 500, assistants: 25 }

test('applies a big project, then nothing, then one changed field', async () => {
  const service = await recordingService()
  const { folder, apply } = await openProject(big, service)

  const first = await apply()
  expect(first).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(first.stdout)).toMatchObject({ failed: [], skipped: [], blocked: [] })
  expectExactly(big, service)
  expect(service.exchanges).toHaveLength(big.tools + big.assistants + big.kbs * 5)

  service.exchanges.length = 0
  const second = await apply()
  expect(second).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(second.stdout)).toMatchObject({ done: [], orphaned: [] })
  expect(JSON.parse(second.stdout).unchanged).toHaveLength(big.tools + big.assistants + big.kbs)
  const third = await apply({ json: false })
  expect(third).toMatchObject({ exitCode: 0 })
  expect(third.stdout).toMatch(/up to date/i)
  expect(service.exchanges).toEqual([])

  const file = join(folder, 'tools/tool-042.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('async: false', 'async: true'))
  expect(await apply()).toMatchObject({ exitCode: 0 })
  const id = service.made.find(({ address }) => address === 'tool/tool-042')?.id
  expect(service.exchanges).toEqual([
    { method: 'PATCH', path: `/assistants/v1/tools/${id}`, body: { async: true }, status: 200 },
  ])
})

test('apply succeeds and creates each resource once if the service sometimes responds with 429', async () => {
  const some = { tools: 20, kbs: 2, entriesEach: 150, assistants: 20 }
  const service = await recordingService({ httpFaults: { 429: 0.1 } })
  const { apply } = await openProject(some, service)
  expect(await apply()).toMatchObject({ exitCode: 0 })
  expect(service.exchanges.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
  expectExactly(some, service)
  service.exchanges.length = 0
  expect(await apply()).toMatchObject({ exitCode: 0 })
  expect(service.exchanges).toEqual([])
})

type Size = typeof big

async function openProject(size: Size, service: RecordingService) {
  const names = namesOf(size)
  const folder = await temporaryFolder({
    'callyard.yaml': '{}\n',
    ...Object.fromEntries(names.tools.map(name => [`tools/${name}.yaml`, toolFile(name)])),
    ...Object.fromEntries(
      names.kbs.map(name => [`knowledge-bases/${name}.yaml`, knowledgeBaseFile(name, size.entriesEach)]),
    ),
    ...Object.fromEntries(
      names.assistants.map((name, index) => [
        `assistants/${name}.yaml`,
        assistantFile(name, {
          tools: [names.tools[index % size.tools] ?? '', names.tools[(index + 1) % size.tools] ?? ''],
          kbs: [names.kbs[index % size.kbs] ?? ''],
        }),
      ]),
    ),
  })
  const env = await environmentOf(service)
  return {
    folder,
    apply: ({ json = true } = {}) =>
      runBin(['apply', '--yes', ...(json ? ['--json'] : [])], { cwd: folder, env }),
  }
}

/** Each once, and every reference the id of what it names. */
function expectExactly(size: Size, { made, entries }: RecordingService): void {
  const names = namesOf(size)
  expect(made.map(({ address }) => address).toSorted()).toEqual([
    ...names.assistants.map(name => `assistant/${name}`),
    ...names.tools.map(name => `tool/${name}`),
  ])
  const idOf = new Map(made.map(({ address, id }) => [address, id]))
  names.assistants.forEach((name, index) => {
    expect(made.find(({ address }) => address === `assistant/${name}`)?.body).toMatchObject({
      assistantToolIds: [index, index + 1].map(place => idOf.get(`tool/${names.tools[place % size.tools]}`)),
      assistantKnowledgeBaseIds: [names.kbs[index % size.kbs]],
    })
  })
  const expected = names.kbs.flatMap(kb =>
    Array.from({ length: size.entriesEach }, (_, index) => `${kb} ${index}?`),
  )
  expect(entries.map(({ question }) => question).toSorted()).toEqual(expected.toSorted())
  expect(entries.filter(({ kb, question }) => !question.startsWith(`${kb} `))).toEqual([])
}

function namesOf({ tools, kbs, assistants }: Size) {
  const numbered = (what: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${what}-${String(index).padStart(3, '0')}`)
  return {
    tools: numbered('tool', tools),
    kbs: numbered('kb', kbs),
    assistants: numbered('assistant', assistants),
  }
}
