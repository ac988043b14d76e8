import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RecordEntry } from '../../../src/sandbox/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import {
  callTo,
  createTool,
  paths,
  startTestSandbox,
  type TestSandbox,
  tool,
} from '../../helpers/test-sandbox.ts'
import { gate, startToolServer } from '../../helpers/tool-server.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

const steps = {
  tool: ['POST', paths.tools, tool],
  assistant: ['POST', paths.assistants, { name: 'Desk' }],
  faq: ['POST', paths.faq, { faq: [{ question: 'When?', answer: 'At nine.' }] }],
  call: ['POST', paths.calls, callTo(undefined, ['When?', '/say-nothing 5', 'Goodbye'])],
  wrong: ['POST', paths.tools, { type: 'other' }],
} as const
type Step = keyof typeof steps

/** Sends requests one after another and returns the responses without request ids. */
async function take(sandbox: TestSandbox, names: readonly Step[]): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const name of names) {
    const [method, path, sent] = steps[name]
    const { body } = await sandbox.send(method, path, sent)
    answers.push({ ...body, requestId: '' })
    await sandbox.idle()
  }
  return answers
}

const journal = async () => join(await temporaryFolder(), 'records.ndjson')

const someSteps = fc.array(fc.constantFrom(...(Object.keys(steps) as Step[])), { maxLength: 6 })
const kept: RecordEntry[] = [
  { kind: 'tool', record: { _id: 'a', updatedAt: '2026-02-01T00:00:00.000Z' } },
  { kind: 'faq', knowledgeBaseId: 'desk', entries: [{ id: '1', question: 'Who?', answer: 'We.' }] },
]

test('after a restore or reset, the same requests get the same responses, ids, times and texts', async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, someSteps, someSteps, async (before, after, other) => {
      const sandbox = await startTestSandbox({ entries: kept })
      const { first } = sandbox
      const fromBeginning = await take(sandbox, before)
      const saved = first.snapshot()
      const fromThere = await take(sandbox, after)
      const end = first.snapshot()
      await take(sandbox, other)
      await first.restore(JSON.parse(JSON.stringify(saved)))
      expect(first.snapshot()).toEqual(saved)
      expect(await take(sandbox, after)).toEqual(fromThere)
      expect(first.snapshot()).toEqual(end)
      await first.reset()
      expect(first.snapshot().entries).toEqual(kept)
      expect(await take(sandbox, before)).toEqual(fromBeginning)
      expect(first.snapshot()).toEqual(saved)
      await sandbox.close()
    }),
    { numRuns: runs(15) },
  )
})

describe('a snapshot', () => {
  test('holds no key, and is not the records themselves', async () => {
    const sandbox = await startTestSandbox()
    await take(sandbox, ['tool', 'assistant'])
    const saved = sandbox.first.snapshot()
    expect(JSON.stringify(saved)).not.toContain(sandbox.apiKey)
    const before = structuredClone(saved)
    for (const entry of saved.entries) Object.assign(entry, { record: { _id: 'changed' } })
    expect(sandbox.first.snapshot()).toEqual(before)
    const given = structuredClone(before)
    await sandbox.first.restore(given)
    for (const entry of given.entries) if ('record' in entry) Object.assign(entry.record, { changed: true })
    expect(sandbox.first.snapshot()).toEqual(before)
  })

  test('keeps the order of fields: records are the same to the byte after a restore, and from the disk', async () => {
    const data = await journal()
    const sandbox = await startTestSandbox({ data })
    await take(sandbox, ['tool', 'assistant', 'faq', 'call'])
    const shown = ({ store }: typeof sandbox.first) =>
      [
        [...store.assistants()],
        [...store.tools()],
        [...(store.knowledgeBase('desk')?.entries ?? [])],
        [...store.calls()],
      ].map(records => JSON.stringify(records))
    const before = shown(sandbox.first)
    const saved = JSON.stringify(sandbox.first.snapshot())
    await sandbox.first.restore(JSON.parse(saved))
    expect(shown(sandbox.first)).toEqual(before)
    expect(JSON.stringify(sandbox.first.snapshot())).toBe(saved)
    await sandbox.close()
    const next = await startTestSandbox({ data })
    expect(shown(next.first)).toEqual(before)
  })

  test('becomes part of the other world, where a running call has ended', async () => {
    const sandbox = await startTestSandbox({ frozen: true })
    await sandbox.send(...steps.tool)
    await sandbox.send(...steps.call)
    const other = await sandbox.world({ pace: 0 })
    await other.restore(sandbox.first.snapshot())
    expect([...other.store.tools()]).toMatchObject([{ teamId: other.team.teamId }])
    expect(other.calls.list()).toMatchObject([{ teamId: other.team.teamId, status: 'completed' }])
    expect(sandbox.first.calls.list()).not.toMatchObject([{ status: 'completed' }])
  })
})

describe('live calls', () => {
  test.each(['reset', 'restore'] as const)(
    'are dropped by a %s: no webhook and no record of them follows',
    async how => {
      const sink = await webhookSink()
      const sandbox = await startTestSandbox({ frozen: true })
      const { first } = sandbox
      const saved = first.snapshot()
      for (let placed = 0; placed < 3; placed += 1) await sandbox.send('POST', paths.calls, callTo(sink.url))
      await first.clock.advance(3000)
      const before = sink.received.length
      expect(before).toBeGreaterThan(5)
      if (how === 'reset') await first.reset()
      else await first.restore(saved)
      await first.clock.advance(600_000)
      await first.idle()
      expect(sink.received).toHaveLength(before)
      expect(first.calls.list()).toEqual([])
      const { body } = await sandbox.send('POST', paths.calls, callTo(sink.url))
      await first.clock.advance(600_000)
      expect(sink.of(String(body.sid)).at(-1)?.call.status).toBe('finished')
    },
  )

  test('of which a tool is still running write nothing when it responds', async () => {
    const answer = gate()
    const server = await startToolServer({ json: { result: 'booked' }, after: answer.opened })
    const sandbox = await startTestSandbox()
    const made = await createTool(sandbox, { server: { url: server.url } })
    const call = callTo(undefined, ['Book me in', 'Goodbye'])
    const assistantServer = { url: (await webhookSink()).url, messages: ['tool-ended'] }
    const assistant = { assistantToolIds: [made._id], assistantServer }
    await sandbox.send('POST', paths.calls, { ...call, assistant })
    await server.received(1)
    const logged = sandbox.events.length
    await sandbox.first.reset()
    answer.open()
    await sandbox.idle()
    expect(sandbox.events.slice(logged)).toEqual([])
    expect(sandbox.first.calls.list()).toEqual([])
    expect(sandbox.first.webhooks.list({})).toEqual([])
  })

  test('are dropped with their clock, and a running advance ends without moving the time further', async () => {
    const sandbox = await startTestSandbox({ frozen: true })
    const began = sandbox.first.clock.now()
    await sandbox.send(...steps.call)
    const advance = sandbox.first.clock.advance(3_600_000)
    await sandbox.first.reset()
    await advance
    expect(sandbox.first.clock.now()).toBe(began)
  })
})

test('rejects a change during a reset with 409, or drops it', async () => {
  const sandbox = await startTestSandbox()
  const sending = Array.from({ length: 50 }, () => sandbox.send(...steps.tool))
  const resets = Array.from({ length: 10 }, () => sandbox.first.reset())
  await Promise.all(resets)
  const statuses = new Set((await Promise.all(sending)).map(({ status }) => status))
  for (const status of statuses) expect([200, 409]).toContain(status)
  await sandbox.first.reset()
  expect([...sandbox.first.store.tools()]).toEqual([])
})

describe('with a journal', () => {
  test('writes a restore to disk before it resolves, and a sandbox started from it behaves the same', async () => {
    const data = await journal()
    const sandbox = await startTestSandbox({ data })
    await take(sandbox, ['tool', 'faq'])
    const saved = sandbox.first.snapshot()
    const expected = await take(sandbox, ['tool', 'assistant'])
    await sandbox.first.restore(saved)
    await sandbox.close()
    const next = await startTestSandbox({ data })
    expect(next.apiKey).toBe(sandbox.apiKey)
    expect(next.first.snapshot()).toEqual(saved)
    expect(await take(next, ['tool', 'assistant'])).toEqual(expected)
  })

  test('a reset restores the initial records, also on disk, and later records are appended', async () => {
    const data = await journal()
    const first = await startTestSandbox({ data })
    await take(first, ['tool'])
    await first.close()
    const sandbox = await startTestSandbox({ data })
    const began = sandbox.first.snapshot().entries
    await take(sandbox, ['tool', 'faq', 'call'])
    await sandbox.first.reset()
    expect(sandbox.first.snapshot().entries).toEqual(began)
    await take(sandbox, ['faq'])
    const after = sandbox.first.snapshot().entries
    await sandbox.close()
    const next = await startTestSandbox({ data })
    expect(next.first.snapshot().entries).toEqual(after)
  })

  test('changes, resets and calls at once leave on the disk what memory has', async () => {
    const data = await journal()
    const sandbox = await startTestSandbox({ data })
    const work: Promise<unknown>[] = []
    for (let round = 0; round < 20; round += 1) {
      work.push(sandbox.send(...steps.tool), sandbox.send(...steps.call), sandbox.send(...steps.faq))
      if (round % 4 === 3) work.push(sandbox.first.reset())
    }
    for (const { status } of await Promise.allSettled(work)) expect(status).toBe('fulfilled')
    await sandbox.idle()
    const held = sandbox.first.snapshot().entries
    await sandbox.close()
    const next = await startTestSandbox({ data })
    expect(next.first.snapshot().entries).toEqual(held)
  })

  test.each(['zzz', '2026-99', '+012026-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])(
    'a sandbox starts from a record with the time %s',
    async updatedAt => {
      const data = await journal()
      const sandbox = await startTestSandbox({ data })
      const record = { _id: 't', updatedAt }
      await sandbox.first.restore({ ...sandbox.first.snapshot(), entries: [{ kind: 'tool', record }] })
      await take(sandbox, ['tool'])
      await sandbox.close()
      const next = await startTestSandbox({ data })
      await take(next, ['tool', 'call'])
      expect(next.first.snapshot().entries).toHaveLength(4)
    },
  )

  test('a disk that cannot be written refuses it with 507, and nothing changes', async () => {
    const data = await journal()
    const sandbox = await startTestSandbox({ data })
    await take(sandbox, ['tool'])
    sandbox.first.faults.add({ drop: 1 })
    const held = sandbox.first.snapshot()
    await rm(dirname(data), { recursive: true })
    await expect(sandbox.first.reset()).rejects.toMatchObject({ status: 507 })
    await expect(sandbox.first.restore(held)).rejects.toMatchObject({ status: 507 })
    expect(sandbox.first.snapshot()).toEqual(held)
    expect(sandbox.first.faults.list()).toHaveLength(1)
    await expect(readFile(data)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
