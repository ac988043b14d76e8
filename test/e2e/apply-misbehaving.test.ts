import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  loadLockText,
  lockfileName,
  type ResourceState,
  readLockfile,
} from '../../src/project/lockfile/index.ts'
import { parseBaseUrl } from '../../src/service/api/index.ts'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { type Misbehaviour, misbehavingServer, misbehaviours } from '../helpers/misbehaving-server.ts'
import { runBin } from '../helpers/run-bin.ts'
import { testCli } from '../helpers/test-cli.ts'
import { assistantFile, knowledgeBaseFile, toolFile } from './apply-helpers.ts'

const key = 'key-that-nobody-may-see-0042'

/** Knowledge of a client after each misbehavior: done, not done with a reason, or unknown. */
type Fate = 'done' | 'key refused' | 'refused' | 'failed, not done' | 'unknown'

const fates: Record<Misbehaviour, Fate> = {
  ok: 'done',
  401: 'key refused',
  403: 'key refused',
  404: 'refused',
  408: 'unknown',
  409: 'refused',
  422: 'refused',
  425: 'refused',
  429: 'refused',
  499: 'unknown',
  500: 'unknown',
  501: 'unknown',
  503: 'unknown',
  '429 retry after 2 s': 'refused',
  '429 retry after an hour': 'refused',
  '500 retry after 2 s': 'unknown',
  '500 with a deep body': 'unknown',
  '422 with a deep body': 'refused',
  '503 retry after a date': 'failed, not done',
  hang: 'unknown',
  reset: 'unknown',
  close: 'unknown',
  'reset mid-body': 'unknown',
  'upgrade unasked': 'unknown',
  'hang mid-body': 'unknown',
  'continue unasked': 'done',
  'deep json': 'done',
  'not utf-8': 'unknown',
  '400 not utf-8': 'refused',
  html: 'unknown',
  empty: 'unknown',
  'broken json': 'unknown',
  'without id': 'unknown',
  list: 'unknown',
  'redirect elsewhere': 'refused',
  huge: 'unknown',
  'not http': 'unknown',
  'echo the key': 'refused',
  hostile: 'refused',
}

/** A POST with an unknown outcome is a conflict; an update is just sent again by the next run. */
const exitCodes = {
  create: { done: 0, 'key refused': 4, refused: 5, 'failed, not done': 6, unknown: 9 },
  update: { done: 0, 'key refused': 4, refused: 5, 'failed, not done': 6, unknown: 6 },
} as const

const before = {
  id: 'id-1',
  body: { type: 'function', function: { name: 'book', description: 'As it was' }, async: false },
}

interface Subject {
  readonly address: `${'tool' | 'kb' | 'assistant'}/${string}`
  readonly verb: keyof typeof exitCodes
  readonly files: Readonly<Record<string, string>>
  /** Previous state in the lockfile. */
  readonly recorded?: ResourceState
  /** Sent only once the address is done. */
  readonly after?: string
}

const desk = { 'assistants/desk.yaml': assistantFile('desk', { tools: ['book'], kbs: [] }) }

/** Every request of an apply, each alone but for what depends on it. */
const subjects = {
  'tool create': {
    address: 'tool/book',
    verb: 'create',
    files: { 'tools/book.yaml': toolFile('book'), ...desk },
    after: 'assistant/desk',
  },
  'tool update': {
    address: 'tool/book',
    verb: 'update',
    files: { 'tools/book.yaml': toolFile('book'), ...desk },
    recorded: before,
    after: 'assistant/desk',
  },
  'entries insert': {
    address: 'kb/shop',
    verb: 'create',
    files: { 'knowledge-bases/shop.yaml': knowledgeBaseFile('shop', 2) },
  },
  'assistant create': {
    address: 'assistant/desk',
    verb: 'create',
    files: { 'assistants/desk.yaml': assistantFile('desk', { tools: [], kbs: [] }) },
  },
} as const satisfies Record<string, Subject>

/** Each fate, and each way in which a response can be lost or wrong. test/service/api/http.test.ts has the others. */
const representatives: readonly Misbehaviour[] = [
  'ok',
  401,
  408,
  422,
  429,
  500,
  '500 retry after 2 s',
  '503 retry after a date',
  'hang',
  'hang mid-body',
  'reset',
  'reset mid-body',
  'continue unasked',
  'deep json',
  'html',
  'without id',
  'redirect elsewhere',
  'huge',
  'echo the key',
  'hostile',
]

/** One for each fate: what follows from it differs by request, the reasons for it do not. */
const onePerFate: readonly Misbehaviour[] = ['ok', 401, 422, '503 retry after a date', 'hang', 'without id']

const modes = everyCase
  ? (Object.keys(misbehaviours).map(name => (/^\d+$/.test(name) ? Number(name) : name)) as Misbehaviour[])
  : representatives

describe.each(Object.entries<Subject>(subjects))('%s', (name, subject) => {
  test.each(everyCase || name === 'tool create' ? modes : onePerFate)(
    '%s: exits with the right code and an accurate lockfile',
    async mode => {
      const { server, files } = await prepare(subject, mode)
      const cli = await testCli(files, {
        env: { CALLYARD_BASE_URL: server.baseUrl, CALLYARD_API_KEY: key },
      })
      const run = (...argv: string[]) => cli.run(...argv, '--timeout', timeoutFor(mode))
      const fate = fateOf(subject, mode)

      const first = await run('apply', '--yes', '--json')
      expectEnd(first, subject, fate)
      // Once is not again: what may have been done is not asked for twice.
      if (fate === 'unknown' && subject.verb === 'create') expect(server.requests).toHaveLength(1)
      expectTrue(await recordedIn(cli.folder, subject), subject, fate)
      expectPlan(await run('plan', '--json', '--exit-code'), subject, fate)

      const asked = server.requests.length
      server.behave('ok')
      const again = await run('apply', '--yes', '--json')
      if (fate === 'unknown' && subject.verb === 'create') {
        expect(again.exitCode).toBe(9)
        expect(JSON.parse(again.stdout)).toMatchObject({ error: { unknown: [subject.address] } })
        expect(server.requests).toHaveLength(asked)
        const forgotten = await run('apply', '--yes', '--json', '--forget', subject.address)
        expect(forgotten.exitCode).toBe(subject.address === 'kb/shop' ? 9 : 0)
        expect(server.requests.length).toBeGreaterThan(asked)
      } else if (subject.address === 'kb/shop') {
        // This server's `ok` names no entries: their ids stay unknown.
        expect(again.exitCode).toBe(9)
      } else {
        expect(again).toMatchObject({ exitCode: 0 })
        expect((await recordedIn(cli.folder, subject))?.id).toBe('id-1')
      }
    },
  )
})

test('after two updates with unknown outcomes, sends every field that either may have changed', async () => {
  const { server, files } = await prepare(subjects['tool update'], 500)
  const cli = await testCli(files, {
    env: { CALLYARD_BASE_URL: server.baseUrl, CALLYARD_API_KEY: key },
  })
  const apply = async (async: boolean, description: string) => {
    const text = toolFile('book', description).replace('async: false', `async: ${async}`)
    await writeFile(join(cli.folder, 'tools/book.yaml'), text)
    const { exitCode } = await cli.run('apply', '--yes', '--json')
    return { exitCode, sent: JSON.parse(server.requests.at(-1)?.body ?? '') }
  }
  const tool = (description: string) => ({ name: 'book', description })
  expect(await apply(true, 'As it was')).toEqual({ exitCode: 6, sent: { async: true } })
  const both = { exitCode: 6, sent: { async: false, function: tool('Another') } }
  expect(await apply(false, 'Another')).toEqual(both)
  // It may have done the first and not the second, the other way round, or both.
  const back = { async: false, function: tool('As it was') }
  expect(await apply(false, 'As it was')).toEqual({ exitCode: 6, sent: back })
  expect(await apply(false, 'As it was')).toEqual({ exitCode: 6, sent: back })

  server.behave('ok')
  await rm(join(cli.folder, 'assistants'), { recursive: true })
  expect(await apply(false, 'As it was')).toEqual({ exitCode: 0, sent: back })
  expect(await recordedIn(cli.folder, subjects['tool update'])).toEqual(before)
  expect(await cli.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

const modesOfProcesses = {
  'tool create': [422],
  'tool update': ['echo the key'],
  'entries insert': ['html'],
  'assistant create': ['hang'],
} as const satisfies Record<keyof typeof subjects, readonly Misbehaviour[]>

describe.each(Object.keys(subjects) as (keyof typeof subjects)[])('the built command, %s', name => {
  const subject: Subject = subjects[name]
  const allModes = Object.values(modesOfProcesses).flat()
  test.each<Misbehaviour>(everyCase ? allModes : modesOfProcesses[name])('%s', async mode => {
    const { server, files } = await prepare(subject, mode)
    const folder = await temporaryFolder(files)
    const env = {
      CALLYARD_BASE_URL: server.baseUrl,
      CALLYARD_API_KEY: key,
      CALLYARD_CONFIG_DIR: await temporaryFolder(),
    }
    const fate = fateOf(subject, mode)
    const {
      stdout,
      stderr,
      exitCode = -1,
    } = await runBin(['apply', '--yes', '--json', '--debug', '--timeout', timeoutFor(mode)], {
      cwd: folder,
      env,
    })
    expectEnd({ stdout, stderr, exitCode }, subject, fate)
    expectTrue(await recordedIn(folder, subject), subject, fate)
  })
})

/** A busy machine may need longer for a response; only a missing one should not be waited for. */
function timeoutFor(mode: Misbehaviour): string {
  return /hang/.test(String(mode)) ? '2s' : '30s'
}

/** True if the response to an update is as good as a record, because its id is known. */
function isBare({ verb }: Subject, mode: Misbehaviour): boolean {
  return verb === 'update' && ['empty', 'without id', 'list', 'not utf-8'].includes(String(mode))
}

function fateOf(subject: Subject, mode: Misbehaviour): Fate {
  if (isBare(subject, mode)) return 'done'
  // None of the responses contains an id of the entries.
  return subject.address === 'kb/shop' && fates[mode] === 'done' ? 'unknown' : fates[mode]
}

async function prepare(subject: Subject, mode: Misbehaviour) {
  const { address, files, recorded } = subject
  const server = await misbehavingServer(mode, ...(isBare(subject, mode) ? (['ok'] as const) : []))
  onTestFinished(() => server.close())
  const target = { baseUrl: parseBaseUrl(server.baseUrl).href, salt: 'salt' }
  const lockfile =
    recorded === undefined
      ? {}
      : {
          [lockfileName]: (await loadLockText())({
            targets: { default: { ...target, resources: { [address]: recorded } } },
          }),
        }
  return { server, files: { 'callyard.yaml': '{}\n', ...files, ...lockfile } }
}

/** One document that lists what became of each; no key, no stack, no control characters. */
function expectEnd(
  { stdout, stderr, exitCode }: { stdout: string; stderr: string; exitCode: number },
  { address, verb, after }: Subject,
  fate: Fate,
): void {
  expect(exitCode, stderr).toBe(exitCodes[verb][fate])
  expect(stdout + stderr).not.toContain(key)
  expect(stderr).not.toMatch(/^ {4}at /m)
  expect(stdout + stderr).not.toMatch(/[\u001b\u202e\u0007]/)
  const rest = after === undefined ? [] : [after]
  const done = fate === 'done'
  const named = (outcomes: { address: string }[]) => outcomes.map(outcome => outcome.address)
  const document = JSON.parse(stdout)
  expect({
    done: named(document.done),
    failed: named(document.failed),
    skipped: named(document.skipped),
    blocked: document.blocked,
  }).toEqual({
    done: done ? [address, ...rest] : [],
    failed: done ? [] : [address],
    skipped: done ? [] : rest,
    blocked: [],
  })
}

async function recordedIn(folder: string, { address }: Subject): Promise<ResourceState | undefined> {
  const { lockfile } = await readLockfile(join(folder, lockfileName), lockfileName)
  return lockfile.targets.default?.resources[address]
}

/** The lockfile says what is known, and of what is not known, that it is not. */
function expectTrue(now: ResourceState | undefined, { address, verb, recorded }: Subject, fate: Fate): void {
  if (fate === 'done') {
    expect(now).toMatchObject({ id: 'id-1' })
    expect([now?.creating, now?.updating, now?.pending]).toEqual([undefined, undefined, undefined])
  } else if (fate !== 'unknown') {
    // A knowledge base has no id of its own here: that nothing of it is known may be said in two ways.
    if (address === 'kb/shop') expect([now?.pending, now?.entries]).toEqual([undefined, undefined])
    else expect(now).toEqual(recorded)
  } else if (address === 'kb/shop') {
    expect(now?.pending).toHaveLength(2)
    expect(now?.pending?.map(({ id }) => id)).toEqual([undefined, undefined])
    expect(now?.entries).toBeUndefined()
  } else if (verb === 'create') {
    expect(now).toMatchObject({ body: {}, creating: { body: expect.anything() } })
    expect(now?.id).toBeUndefined()
  } else {
    expect(now).toMatchObject({ ...before, updating: { body: { function: { name: 'book' } } } })
  }
}

function expectPlan(
  { exitCode, stdout, stderr }: { exitCode: number; stdout: string; stderr: string },
  { address, verb }: Subject,
  fate: Fate,
): void {
  if (fate === 'done') expect(exitCode, stderr).toBe(0)
  else if (fate === 'unknown' && verb === 'create') {
    expect(exitCode, stderr).toBe(9)
    expect(JSON.parse(stdout)).toMatchObject({ error: { unknown: [address] } })
  } else {
    expect(exitCode, stderr).toBe(7)
    expect(JSON.parse(stdout).actions).toContainEqual(expect.objectContaining({ address }))
  }
}
