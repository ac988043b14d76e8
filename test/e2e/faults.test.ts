import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { lines, runBin, startBin, temporaryFolder } from '../helpers/run-bin.ts'

type Event = Readonly<Record<string, unknown>> & { readonly kind: string }

/** A command that prints events until a signal ends it. */
function stream(argv: readonly string[], folder: string) {
  const child = startBin([...argv, '--json'], { cwd: folder, env: environment(folder) })
  const output = lines(child.stdout)
  const events: Event[] = []
  /** Reads on to the first event that fits; undefined when the output ends before. */
  const until = async (fits: (event: Event) => boolean) => {
    for (let line = await output.next(); line.done !== true; line = await output.next()) {
      const event: Event = JSON.parse(line.value)
      events.push(event)
      if (fits(event)) return event
    }
    return undefined
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await until(() => false)
    const { exitCode, stderr } = await child
    expect(exitCode, stderr).toBe(0)
  }
  return { events, until, stop }
}

const environment = (folder: string) => ({
  CALLWRIGHT_CONFIG_DIR: join(folder, 'config'),
  CALLWRIGHT_PROFILE: 'sandbox',
})

async function startSandbox(folder: string, ...flags: string[]) {
  const sandbox = stream(
    ['sandbox', 'start', '--port', '0', '--pace', '0', '--save-profile', 'sandbox', ...flags],
    folder,
  )
  await sandbox.until(({ kind }) => kind === 'ready')
  const faults = () => sandbox.events.filter(({ kind }) => kind === 'fault').map(({ fault }) => fault)
  return {
    ...sandbox,
    faults,
    run: (...argv: string[]) => runBin(argv, { cwd: folder, env: environment(folder) }),
  }
}

describe('webhook tail', () => {
  const caller = ['When are you open?', 'And on Sunday?', 'Where are you?', 'Thank you.', 'Goodbye.']
  const callsPlaced = 5

  /** What webhook tail prints of some calls, from the first event to the summary. */
  async function tailCalls(...flags: string[]) {
    const folder = await temporaryFolder()
    const tail = stream(['webhook', 'tail', '--port', '0'], folder)
    const url = (await tail.until(({ kind }) => kind === 'ready'))?.url
    await writeFile(join(folder, 'desk.yaml'), `name: Desk\nassistantServer: { url: '${url}' }\n`)
    const sandbox = await startSandbox(folder, '--memory', '--seed', '11', ...flags)
    expect(await sandbox.run('assistant', 'create', 'desk.yaml')).toMatchObject({ exitCode: 0 })
    for (let placed = 0; placed < callsPlaced; placed += 1) {
      const place = ['call', 'start', '--from', '+12025550100', '--to', '+12025550123']
      const metadata = ['--metadata', `caller=${JSON.stringify(caller)}`]
      expect(await sandbox.run(...place, ...metadata)).toMatchObject({ exitCode: 0 })
      await sandbox.until(({ kind, status }) => kind === 'call' && status === 'finished')
    }
    await sandbox.stop()
    await tail.stop()
    const ofCalls = (kind: string) => {
      const byCall = new Map<unknown, Event[]>()
      for (const event of tail.events.filter(each => each.kind === kind)) {
        byCall.set(event.callId, [...(byCall.get(event.callId) ?? []), event])
      }
      return byCall
    }
    return {
      faults: sandbox.faults(),
      befallen: sandbox.events
        .filter(({ kind }) => kind === 'fault')
        .map(({ fault, callId, index }) => `${callId} ${index} ${fault}`)
        .sort(),
      messages: [...ofCalls('message').values()].map(said =>
        said.map(({ role, text }) => `${role}: ${text}`),
      ),
      messageIds: tail.events.filter(({ kind }) => kind === 'message').map(({ messageId }) => messageId),
      statuses: [...ofCalls('status').values()].map(changes => changes.map(({ status }) => status)),
      kinds: new Set(tail.events.map(({ kind }) => kind)),
      summary: tail.events.at(-1),
    }
  }

  const order = ['queued', 'ongoing', 'finished']
  const isForward = (statuses: readonly unknown[]) =>
    order.filter(status => statuses.includes(status)).join() === statuses.join()

  test('shows each message once and whole transcripts when webhooks are doubled, shuffled and late', async () => {
    const plain = await tailCalls()
    const { faults, befallen, ...shaken } = await tailCalls('--fault', 'duplicate=0.5,reorder=0.5,delay=0.5')
    expect(new Set(faults)).toEqual(new Set(['duplicate', 'reorder', 'delay']))
    expect(plain.messages).toHaveLength(callsPlaced)
    expect(plain.messages[0]?.length).toBeGreaterThan(caller.length)
    expect(shaken.messages).toEqual(plain.messages)
    expect(new Set(shaken.messageIds).size).toBe(shaken.messageIds.length)
    expect(shaken.statuses).toHaveLength(callsPlaced)
    for (const statuses of shaken.statuses) {
      expect(isForward(statuses), statuses.join()).toBe(true)
      expect(statuses).toContain('finished')
    }
    expect(shaken.kinds).toEqual(new Set(['ready', 'status', 'message', 'summary']))
    expect(shaken.summary).toMatchObject({
      kind: 'summary',
      calls: callsPlaced,
      finished: callsPlaced,
      badRequests: 0,
    })
    // The same seed, the same requests: the same faults.
    const again = await tailCalls('--fault', 'duplicate=0.5,reorder=0.5,delay=0.5')
    expect(again.befallen).toEqual(befallen)
  })

  test('makes up for lost updates by later ones, and shows no message twice', async () => {
    const plain = await tailCalls()
    const { faults, ...broken } = await tailCalls('--fault', 'drop=0.3,disconnect=0.3,duplicate=0.5')
    expect(new Set(faults)).toEqual(new Set(['drop', 'disconnect', 'duplicate']))
    expect(new Set(broken.messageIds).size).toBe(broken.messageIds.length)
    for (const said of broken.messages) {
      // Every update carries all messages so far: only the end of a transcript can be missing.
      expect(plain.messages.map(whole => whole.slice(0, said.length))).toContainEqual(said)
    }
    for (const statuses of broken.statuses) expect(isForward(statuses), statuses.join()).toBe(true)
    expect(broken.summary).toMatchObject({ kind: 'summary' })
  })
})

const numbers = ['--to', '+12025550123', '--assistant', 'desk.yaml']

/** Every command that talks to the service and makes one record. */
const posts = {
  'assistant create': ['assistant', 'create', 'desk.yaml'],
  'tool create': ['tool', 'create', 'tool.yaml'],
  'call start': ['call', 'start', '--from', '+12025550100', ...numbers],
  'call connect': ['call', 'connect', '--phone-number-id', 'p1', ...numbers],
  'faq push (insert)': ['faq', 'push', 'new.yaml', '--kb', 'kb1'],
  'api POST': ['api', 'POST', '/assistants/v1/tools', '--data', '{"type":"function"}'],
} as const

type Fault = '429' | '500' | 'hang' | 'reset'

/** One command against a sandbox that does this to every request, and what the sandbox holds before and after. */
async function attempt(fault: Fault, argv: readonly string[], more: Files) {
  const folder = await temporaryFolder()
  const files: Files = {
    'desk.yaml': 'name: Desk\n',
    'tool.yaml': 'type: function\n',
    'change.yaml': 'async: true\n',
    'new.yaml': 'faq:\n  - question: When?\n    answer: Now.\n',
    'records.ndjson': '',
    ...more,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const before = await records(folder)
  const sandbox = await startSandbox(folder, '--data', 'records.ndjson', '--fault-http', `${fault}=1`)
  const timeout = fault === 'hang' ? ['--timeout', '300ms'] : []
  const { exitCode, stdout, stderr } = await sandbox.run(...argv, '--json', ...timeout)
  await sandbox.stop()
  const after = await records(folder)
  return {
    exitCode,
    stderr,
    document: JSON.parse(stdout),
    /** How often the command sent its request. */
    attempts: sandbox.faults().length,
    made: after.size - before.size,
    changed: [...after].some(([id, record]) => before.has(id) && !isDeepStrictEqual(record, before.get(id))),
  }
}

type Files = Readonly<Record<string, string>>

/** The same command under every fault, all at once. */
async function attempts(argv: readonly string[], files: Files = {}) {
  const [refused, failed, hung, reset] = await Promise.all([
    attempt('429', argv, files),
    attempt('500', argv, files),
    attempt('hang', argv, files),
    attempt('reset', argv, files),
  ])
  return { refused, failed, hung, reset }
}

/** The records that the sandbox’s journal holds: id → record. */
async function records(folder: string): Promise<Map<string, unknown>> {
  const journal = await readFile(join(folder, 'records.ndjson'), 'utf8')
  const changes = journal
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
  return new Map(
    changes.flatMap(({ record, entries = record === undefined ? [] : [record] }) =>
      entries.map((one: { _id?: string; id?: string }) => [one._id ?? one.id, one]),
    ),
  )
}

/** A push is many requests that belong together: it waits longer for a service that asks for patience. */
function refusedAttempts(name: string): number {
  return name.startsWith('faq push') ? 10 : 3
}

test.each(Object.entries(posts))(
  '%s: 429 is sent again after Retry-After; anything that leaves the outcome unknown is reported and not sent again',
  async (name, argv) => {
    const { refused, failed, hung, reset } = await attempts(argv)
    const document = expect.any(Object)
    expect(refused).toMatchObject({ exitCode: 5, attempts: refusedAttempts(name), document, made: 0 })
    // A lost FAQ batch is a conflict that the next run must know of.
    const lost = {
      exitCode: name.startsWith('faq') ? 9 : 6,
      stderr: expect.stringMatching(/may have (been|taken effect)|outcome is unknown/),
      attempts: 1,
      document,
    }
    expect(failed).toMatchObject({ ...lost, made: 0 })
    expect(hung).toMatchObject({ ...lost, made: 0 })
    // The hard case: it was done, and the answer was lost.
    expect(reset).toMatchObject({ ...lost, made: 1 })
  },
)

test.each(['tool update', 'faq push (update)'] as const)(
  '%s: a failure is sent again, three times in all',
  async name => {
    const { tool, entry, journal } = await prepare()
    const { refused, failed, hung, reset } = await attempts(
      name === 'tool update'
        ? ['tool', 'update', tool, 'change.yaml']
        : ['faq', 'push', 'known.yaml', '--kb', 'kb1'],
      {
        'records.ndjson': journal,
        'known.yaml': `faq:\n  - id: ${entry}\n    question: Where?\n    answer: There.\n`,
      },
    )
    const undone = { attempts: 3, made: 0, changed: false }
    expect(refused).toMatchObject({ exitCode: 5, ...undone, attempts: refusedAttempts(name) })
    expect(failed).toMatchObject({ exitCode: 6, ...undone })
    expect(hung).toMatchObject({ exitCode: 6, ...undone })
    expect(reset).toMatchObject({ exitCode: 6, attempts: 3, made: 0, changed: true })
    for (const { stderr } of [failed, hung, reset]) expect(stderr).toContain('given up after 3 attempts')
  },
)

/** A tool and an FAQ entry that the commands can change, made without faults. */
async function prepare() {
  const folder = await temporaryFolder()
  const sandbox = await startSandbox(folder, '--data', 'records.ndjson')
  const post = async (path: string, body: unknown) =>
    JSON.parse((await sandbox.run('api', 'POST', path, '--data', JSON.stringify(body), '--json')).stdout)
  const tool = await post('/assistants/v1/tools', { type: 'function' })
  const { faq } = await post('/kb/v1/knowledge-bases/kb1/faq-template', {
    faq: [{ question: 'Where?', answer: 'Here.' }],
  })
  await sandbox.stop()
  const journal = await readFile(join(folder, 'records.ndjson'), 'utf8')
  return { tool: String(tool._id), entry: String(faq[0].id), journal }
}

test('requests that are refused for a while get through, and nothing is made twice', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'tool.yaml'), 'type: function\n')
  const sandbox = await startSandbox(
    folder,
    '--data',
    'records.ndjson',
    '--fault-http',
    '429=0.5',
    '--seed',
    '3',
  )
  const codes: unknown[] = []
  for (let sent = 0; sent < 6; sent += 1)
    codes.push((await sandbox.run('tool', 'create', 'tool.yaml')).exitCode)
  await sandbox.stop()
  const refused = sandbox.faults().length
  expect(refused).toBeGreaterThan(0)
  expect(new Set(codes).size).toBeLessThanOrEqual(2)
  expect((await records(folder)).size).toBe(codes.filter(code => code === 0).length)
})

test('a person sees what befalls a request', async () => {
  const folder = await temporaryFolder()
  const child = startBin(
    ['sandbox', 'start', '--port', '0', '--memory', '--save-profile', 'sandbox', '--fault-http', '500=1'],
    {
      cwd: folder,
      env: environment(folder),
    },
  )
  const output = lines(child.stdout)
  expect((await output.next()).value).toContain('The sandbox runs on')
  expect((await output.next()).value).toMatch(/^ {2}http/)
  const argv = ['api', 'POST', '/assistants/v1/tools', '--data', '{"type":"function"}']
  const { exitCode, stderr } = await runBin(argv, { cwd: folder, env: environment(folder) })
  expect(exitCode).toBe(6)
  expect(stderr).toContain('a fault on request')
  expect((await output.next()).value).toBe('fault: 500 in POST /assistants/v1/tools')
  child.kill('SIGTERM')
  expect((await child).stderr).toMatch(/Faults on request: to requests 500=1\. --seed \d+ repeats them\./)
})
