import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { loadLockText, lockfileName, readLockfile, TargetState } from '../../src/project/lockfile/index.ts'
import { makePlan } from '../../src/project/plan/index.ts'
import { loadProjectFiles } from '../../src/project/resources/index.ts'
import { parseBaseUrl } from '../../src/service/api/index.ts'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { testCli } from '../helpers/test-cli.ts'
import {
  assistantFile,
  environmentOf,
  expectKilled,
  type KillPoint,
  knowledgeBaseFile,
  recordingService,
  runUntil,
  type Taken,
  toolFile,
} from './apply-helpers.ts'

const moments = ['arrived', 'stored', 'answered'] as const

/** Each request of an apply of the project, one at a time. */
const requestsInOrder = [
  'PATCH tool',
  'POST tool',
  'POST tool',
  'POST 12 entries',
  'PUT 1 entries',
  'POST 100 entries',
  'POST 100 entries',
  'POST 10 entries',
  'POST assistant',
  'POST assistant',
  'POST assistant',
]

const temporaryLockfile = `.${lockfileName}.callyard-tmp`
const journalName = '.callyard/lockfile.ndjson'
const shopPath = 'knowledge-bases/shop.yaml'
const temporaryShop = 'knowledge-bases/.shop.yaml.callyard-tmp'

/**
 * One kill for each kind of state that the next run can find: of the journal, of a request, of the files. A kill at an event of a file comes a moment after it, and can leave the
 * next state. `npm run attack -- cases` kills at every boundary of every request, and at more events of each file.
 */
const representatives: readonly (readonly [state: string, KillPoint])[] = [
  ['a journal without its first intent', { file: journalName, event: 1 }],
  ['a creation whose response was lost', { request: 2, at: 'stored' }],
  ['a batch of entries, after one that is committed, whose response was lost', { request: 7, at: 'stored' }],
  ['ids of entries in the file, and its lines not committed', { file: shopPath, event: 1 }],
  ['a new lockfile, and a journal that has its lines too', { file: lockfileName, event: 1 }],
]

const everyBoundary = requestsInOrder.flatMap((_, index) =>
  moments.map((at): KillPoint => ({ request: index + 1, at })),
)

const fileEvents = [
  ...[lockfileName, temporaryLockfile].flatMap(file => [1, 5, 12].map(event => ({ file, event }))),
  ...[1, 2, 4, 8, 12, 20].map(event => ({ file: journalName, event })),
  ...[shopPath, temporaryShop].flatMap(file => [1, 2].map(event => ({ file, event }))),
]

const points = everyCase
  ? [...everyBoundary, ...fileEvents].map(point => [JSON.stringify(point), point] as const)
  : representatives

test('sends the requests in the order that the kill points assume', async () => {
  const project = await openProject({ concurrency: 1 })
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.requests()).toEqual(requestsInOrder)
  await project.expectWhole()
  await project.expectNothingToDo()
})

test.each(points)('creates each resource once after a kill that left %s', async (_, point) => {
  const project = await openProject({ concurrency: 1 })
  expectKilled(await project.apply({ kill: point }), point)
  await project.finish()
  await project.expectWhole()
})

// Here several intents are open when it is killed.
const requestsAtOnce = everyCase ? [2, 5, 8] : [5]
const momentsAtOnce = everyCase ? (['arrived', 'answered'] as const) : (['answered'] as const)

test.each(requestsAtOnce.flatMap(request => momentsAtOnce.map((at): KillPoint => ({ request, at }))))(
  'creates each resource once after a kill at %j with four concurrent requests',
  async point => {
    const project = await openProject({ concurrency: 4 })
    expectKilled(await project.apply({ kill: point }), point)
    await project.finish()
    await project.expectWhole()
  },
)

test('creates each resource once after consecutive kills at every moment', async () => {
  const project = await openProject({ concurrency: 4 })
  for (const at of everyCase ? [...moments, ...moments] : moments) {
    const point = { request: 1, at }
    expectKilled(await project.advance(point), point)
  }
  await project.finish()
  await project.expectWhole()
  await project.expectNothingToDo()
})

const conflict = z.object({ error: z.object({ unknown: z.array(z.string()) }) })
const made = z.object({ _id: z.string(), teamId: z.string() })
const stored = z.object({ faq: z.array(z.object({ id: z.string() })) })

/** A project of which a tool and an entry exist already, and changed since; the rest is to be created. */
async function openProject({ concurrency }: { concurrency: 1 | 4 }) {
  const service = await recordingService()
  const env = await environmentOf(service)
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
    return (
      await fetch(service.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
    ).json()
  }
  const body = { type: 'function', function: { name: 'book', description: 'As it was' }, async: false }
  const book = made.parse(await post('/assistants/v1/tools', body))
  const old = await post('/kb/v1/knowledge-bases/prices/faq-template', {
    faq: [{ question: 'prices, in general?', answer: 'as it was' }],
  })
  const known = stored.parse(old).faq[0]?.id ?? ''

  const knowledgeBases = {
    shop: knowledgeBaseFile('shop', 210),
    prices: `${knowledgeBaseFile('prices', 12)}  - id: ${known}\n    question: "prices, in general?"\n    answer: as it is\n`,
  }
  const target = {
    baseUrl: parseBaseUrl(service.baseUrl).href,
    // If the team is known, apply waits for one response before it creates resources in parallel.
    ...(concurrency === 1 ? { teamId: book.teamId } : {}),
    salt: 'salt',
    resources: { 'tool/book': { id: book._id, body } },
  }
  const folder = await temporaryFolder({
    'callyard.yaml': '{}\n',
    [lockfileName]: (await loadLockText())({ targets: { default: target } }),
    'tools/book.yaml': toolFile('book'),
    'tools/cancel.yaml': toolFile('cancel'),
    'tools/move.yaml': toolFile('move'),
    'knowledge-bases/shop.yaml': knowledgeBases.shop,
    'knowledge-bases/prices.yaml': knowledgeBases.prices,
    'assistants/desk.yaml': assistantFile('desk', { tools: ['book', 'cancel'], kbs: ['shop'] }),
    'assistants/night.yaml': assistantFile('night', { tools: ['move'], kbs: ['shop', 'prices'] }),
    'assistants/sales.yaml': assistantFile('sales', { tools: ['book'], kbs: ['prices'] }),
  })
  service.exchanges.length = 0
  const lockfile = join(folder, lockfileName)

  const idOf = (address: string) => service.made.find(each => each.address === address)?.id
  const questionsOf = (kb: string) =>
    new Map(service.entries.flatMap(entry => (entry.kb === kb ? [[entry.question, entry.id]] : [])))

  /** Returns the lockfile's content, which must be readable after every run and contain only existing ids. */
  async function recorded() {
    const { targets } = (await readLockfile(lockfile, lockfileName)).lockfile
    const resources = targets.default?.resources ?? {}
    for (const [address, { id, entries = {}, body }] of Object.entries(resources)) {
      if (id !== undefined) expect(id).toBe(idOf(address))
      const there = [...questionsOf(String(body.knowledgeBaseId)).values()]
      expect(there).toEqual(expect.arrayContaining(Object.keys(entries)))
    }
    return resources
  }

  const cli = await testCli({}, { env })

  /** One apply; with a point, it is a process that is killed there. */
  async function apply({
    flags = [],
    kill,
  }: {
    flags?: readonly string[] | undefined
    kill?: KillPoint | undefined
  } = {}) {
    const argv = ['apply', '--yes', '--json', '--concurrency', String(concurrency), ...flags]
    const run =
      kill === undefined
        ? await cli.runWith({ cwd: folder }, ...argv)
        : await runUntil(kill, argv, { cwd: folder, env, service })
    await service.idle()
    await recorded()
    return run
  }

  /** Settles unknown outcomes as a person does after exit code 9: looks up the state of the service, and passes flags. */
  async function settle(unknown: readonly string[]): Promise<string[]> {
    const flags: string[] = []
    for (const address of unknown) {
      const id = idOf(address)
      if (!address.startsWith('kb/')) {
        flags.push(...(id === undefined ? ['--forget', address] : ['--adopt', `${address}=${id}`]))
        continue
      }
      const name = address.slice('kb/'.length)
      const file = join(folder, `knowledge-bases/${name}.yaml`)
      const text = await readFile(file, 'utf8')
      const withIds = [...questionsOf(name)].reduce(
        (before, [question, entry]) =>
          before.replace(`- question: "${question}"`, `- id: ${entry}\n    question: "${question}"`),
        text,
      )
      if (withIds === text) flags.push('--forget', address)
      else await writeFile(file, withIds)
    }
    return flags
  }

  /** One apply, and where it stops for a person, that and another. */
  async function advance(kill?: KillPoint) {
    const first = await apply({ kill })
    if (first.exitCode !== 9) return first
    expect(first.stderr).toContain('nothing was sent')
    const { unknown } = conflict.parse(JSON.parse(first.stdout)).error
    expect(unknown.length).toBeLessThanOrEqual(concurrency)
    return apply({ flags: await settle(unknown), kill })
  }

  /** Returns the remaining actions of a plan. */
  async function left() {
    const file = join(folder, 'callyard.yaml')
    const { loadProject } = await loadProjectFiles()
    const project = await loadProject(file, {}, { cwd: folder, env: {}, vocabulary: {} })
    const { lockfile: read } = await readLockfile(lockfile, lockfileName)
    const state = new TargetState(read, 'default', read.targets.default ?? target)
    const { actions } = makePlan(project, { name: 'default', baseUrl: target.baseUrl, isNew: false }, state)
    return actions.filter(({ action }) => action !== 'unchanged')
  }

  return {
    apply,
    advance,
    requests: () => service.exchanges.map(nameOfRequest),
    async finish() {
      expect(await advance()).toMatchObject({ exitCode: 0 })
    },
    async expectWhole() {
      const tools = ['book', 'cancel', 'move'].map(name => `tool/${name}`)
      const assistants = ['desk', 'night', 'sales'].map(name => `assistant/${name}`)
      expect(service.made.map(({ address }) => address).toSorted()).toEqual([...assistants, ...tools])
      const bodyOf = (name: string) => service.made.find(each => each.address === `assistant/${name}`)?.body
      expect(bodyOf('desk')?.assistantToolIds).toEqual([idOf('tool/book'), idOf('tool/cancel')])
      expect(bodyOf('night')?.assistantToolIds).toEqual([idOf('tool/move')])
      const updates = service.exchanges.filter(({ method }) => method === 'PATCH')
      expect(updates.at(-1)).toMatchObject({
        path: `/assistants/v1/tools/${book._id}`,
        body: { function: { description: 'What book does' } },
        status: 200,
      })
      expect(service.exchanges.filter(({ method }) => method === 'PUT').at(-1)).toMatchObject({ status: 200 })

      const resources = await recorded()
      expect(Object.keys(resources).toSorted()).toEqual([...assistants, 'kb/prices', 'kb/shop', ...tools])
      for (const [address, { id, creating, updating, pending, entries }] of Object.entries(resources)) {
        expect({ address, id, creating, updating, pending }).toEqual({ address, id: idOf(address) })
        if (address.startsWith('kb/')) {
          const there = [...questionsOf(address.slice('kb/'.length)).values()]
          expect(Object.keys(entries ?? {}).toSorted()).toEqual(there.toSorted())
        }
      }
      for (const [name, original] of Object.entries(knowledgeBases)) {
        const text = await readFile(join(folder, `knowledge-bases/${name}.yaml`), 'utf8')
        const ids = [...text.matchAll(/- id: (\S+)\n {4}question: "(.*)"/g)]
        expect(new Map(ids.map(([, id = '', question = '']) => [question, id]))).toEqual(questionsOf(name))
        expect(service.entries.filter(({ kb }) => kb === name)).toHaveLength(ids.length)
        const bare = (each: string) => each.replace(/id: \S+\n {4}/g, '')
        expect(bare(text)).toBe(bare(original))
      }
      await expectNothingLeft(folder)

      expect(await left()).toEqual([])
    },
    async expectNothingToDo() {
      const before = service.exchanges.length
      expect(await apply()).toMatchObject({ exitCode: 0 })
      expect(service.exchanges).toHaveLength(before)
    },
  }
}

/** A request as `requestsInOrder` lists it. */
function nameOfRequest({ method, path, body }: Taken): string {
  if (Array.isArray(body.faq)) return `${method} ${body.faq.length} entries`
  return `${method} ${path.includes('/tools') ? 'tool' : 'assistant'}`
}

/** Neither temporary files nor locks of those that were killed. */
async function expectNothingLeft(folder: string): Promise<void> {
  expect((await readdir(folder)).toSorted()).toEqual([
    '.callyard',
    'assistants',
    'callyard.lock.yaml',
    'callyard.yaml',
    'knowledge-bases',
    'tools',
  ])
  expect(await readdir(join(folder, '.callyard'))).toEqual([])
  expect((await readdir(join(folder, 'knowledge-bases'))).toSorted()).toEqual(['prices.yaml', 'shop.yaml'])
}
