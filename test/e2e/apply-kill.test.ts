import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { parseBaseUrl } from '../../src/api/base-url.ts'
import { loadProject } from '../../src/project/load/load-project.ts'
import { readLockfile } from '../../src/project/lockfile/journal.ts'
import { lockText } from '../../src/project/lockfile/lock-text.ts'
import { lockfileName } from '../../src/project/lockfile/lockfile.ts'
import { makePlan, stateOf } from '../../src/project/plan/plan-project.ts'
import { killAtEvent } from '../helpers/kill-at-event.ts'
import { startBin } from '../helpers/run-bin.ts'
import {
  assistantFile,
  environmentOf,
  folderOf,
  knowledgeBaseFile,
  type Moment,
  recordingService,
  toolFile,
} from './apply-helpers.ts'

/** Where an apply is killed: at a moment of its nth request, or at the nth event of a file. */
type KillPoint =
  | { readonly request: number; readonly at: Moment }
  | { readonly file: string; readonly event: number }

const moments = ['arrived', 'stored', 'answered'] as const

/** One update and two creations of tools, four batches of entries, one update of entries, three assistants. */
const requestsInAll = 11

const everyBoundary = Array.from({ length: requestsInAll }, (_, index) =>
  moments.map((at): KillPoint => ({ request: index + 1, at })),
).flat()

const fileEvents = [
  ...[lockfileName, `.${lockfileName}.callwright-tmp`].flatMap(file =>
    [1, 5, 12].map(event => ({ file, event })),
  ),
  ...[1, 2, 4, 8, 12, 20].map(event => ({ file: '.callwright/lockfile.ndjson', event })),
  ...['shop.yaml', '.shop.yaml.callwright-tmp'].flatMap(file =>
    [1, 2].map(event => ({ file: `knowledge-bases/${file}`, event })),
  ),
]

test('undisturbed, the project takes as many requests as the walk below goes through', async () => {
  const project = await openProject({ parallelism: 1 })
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.requests()).toBe(requestsInAll)
  await project.expectWhole()
  await project.expectNothingToDo()
})

test.each([...everyBoundary, ...fileEvents])('killed at %j: each resource exists once', async point => {
  const project = await openProject({ parallelism: 1 })
  expectKilled(await project.apply({ kill: point }), point)
  await project.finish()
  await project.expectWhole()
})

test.each(
  [2, 5, 8].flatMap(request => (['arrived', 'answered'] as const).map((at): KillPoint => ({ request, at }))),
)('killed at %j with four resources at once: each resource exists once', async point => {
  const project = await openProject({ parallelism: 4 })
  expectKilled(await project.apply({ kill: point }), point)
  await project.finish()
  await project.expectWhole()
})

test('killed at each moment in turn, one apply after the other', async () => {
  const project = await openProject({ parallelism: 4 })
  for (const at of [...moments, ...moments]) {
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
async function openProject({ parallelism }: { parallelism: 1 | 4 }) {
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
    // Where the team is known, one answer is waited for before anything is created side by side.
    ...(parallelism === 1 ? { teamId: book.teamId } : {}),
    salt: 'salt',
    resources: { 'tool/book': { id: book._id, body } },
  }
  const folder = await folderOf({
    'callwright.yaml': '{}\n',
    [lockfileName]: lockText({ targets: { default: target } }),
    'tools/book.yaml': toolFile('book'),
    'tools/cancel.yaml': toolFile('cancel'),
    'tools/move.yaml': toolFile('move'),
    'knowledge-bases/shop.yaml': knowledgeBases.shop,
    'knowledge-bases/prices.yaml': knowledgeBases.prices,
    'assistants/desk.yaml': assistantFile('desk', { tools: ['book', 'cancel'], kbs: ['shop'] }),
    'assistants/night.yaml': assistantFile('night', { tools: ['move'], kbs: ['shop', 'prices'] }),
    'assistants/sales.yaml': assistantFile('sales', { tools: ['book'], kbs: ['prices'] }),
  })
  service.taken.length = 0
  const lockfile = join(folder, lockfileName)

  const idOf = (address: string) => service.made.find(each => each.address === address)?.id
  const questionsOf = (kb: string) =>
    new Map(service.entries.flatMap(entry => (entry.kb === kb ? [[entry.question, entry.id]] : [])))

  /** What the lockfile says, which must be readable after every run, and must name nothing that is not there. */
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

  /** One apply; with a point, killed there. */
  async function apply({
    flags = [],
    kill,
  }: {
    flags?: readonly string[] | undefined
    kill?: KillPoint | undefined
  } = {}) {
    const child = startBin(['apply', '--yes', '--json', '--parallelism', String(parallelism), ...flags], {
      cwd: folder,
      env,
    })
    const now = () => void child.kill('SIGKILL')
    let dead = false
    service.onMoment((moment, ordinal) => {
      // Requests that are under way at that moment are carried out; their answers are lost.
      if (dead || !isAt(kill, moment, ordinal)) return undefined
      dead = true
      now()
      return 'lost'
    })
    const stop = kill !== undefined && 'file' in kill ? await killAtEvent(folder, kill, now) : () => {}
    const { exitCode, stdout, stderr, signal } = await child
    stop()
    await service.idle()
    await recorded()
    return { exitCode, stdout, stderr, signal }
  }

  /** What a person does after an apply that ended with 9: looks what the service has, and says so. */
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
    expect(unknown.length).toBeLessThanOrEqual(parallelism)
    return apply({ flags: await settle(unknown), kill })
  }

  /** What a plan would still do. */
  async function left() {
    const file = join(folder, 'callwright.yaml')
    const project = await loadProject(file, {}, { cwd: folder, env: {}, vocabulary: {} })
    const { lockfile: read } = await readLockfile(lockfile, lockfileName)
    const state = stateOf(read, read.targets.default ?? target, 'default')
    const { actions } = makePlan(project, { name: 'default', baseUrl: target.baseUrl }, state)
    return actions.filter(({ action }) => action !== 'unchanged')
  }

  return {
    apply,
    advance,
    requests: () => service.taken.length,
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
      const updates = service.taken.filter(({ method }) => method === 'PATCH')
      expect(updates.at(-1)).toMatchObject({
        path: `/assistants/v1/tools/${book._id}`,
        body: { function: { description: 'What book does' } },
        status: 200,
      })
      expect(service.taken.filter(({ method }) => method === 'PUT').at(-1)).toMatchObject({ status: 200 })

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
      const before = service.taken.length
      expect(await apply()).toMatchObject({ exitCode: 0 })
      expect(service.taken).toHaveLength(before)
    },
  }
}

function isAt(point: KillPoint | undefined, moment: Moment, ordinal: number): boolean {
  return point !== undefined && 'request' in point && point.request === ordinal && point.at === moment
}

/** Neither temporary files nor locks of those that were killed. */
async function expectNothingLeft(folder: string): Promise<void> {
  expect((await readdir(folder)).toSorted()).toEqual([
    '.callwright',
    'assistants',
    'callwright.lock.yaml',
    'callwright.yaml',
    'knowledge-bases',
    'tools',
  ])
  expect(await readdir(join(folder, '.callwright'))).toEqual([])
  expect((await readdir(join(folder, 'knowledge-bases'))).toSorted()).toEqual(['prices.yaml', 'shop.yaml'])
}

/** On a busy machine an apply may have ended when the event of a file arrives, and when its last answer is on its way. */
function expectKilled(
  {
    signal,
    exitCode,
    stderr,
  }: { signal?: string | undefined; exitCode?: number | undefined; stderr: string },
  point: KillPoint,
): void {
  const maySurvive = 'file' in point || point.at === 'answered'
  if (maySurvive && signal === undefined) expect(exitCode, stderr).toBe(0)
  else expect(signal, stderr).toBe('SIGKILL')
}
