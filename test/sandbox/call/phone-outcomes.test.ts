import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../helpers/every-case.ts'
import { failingDisk } from '../../helpers/failing-disk.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import {
  beginCall,
  createAssistant,
  from,
  paths,
  recordOf,
  startTestSandbox,
  type TestSandbox,
  talk,
  talkIn,
} from '../../helpers/test-sandbox.ts'
import { type WebhookSink, webhookSink } from '../../helpers/webhook-sink.ts'

const number = (last: number) => `+1202555018${last}`
const caller = ['Are you open?', 'Thanks.']

const statusesOf = (sink: WebhookSink, id: string) =>
  sink
    .of(id)
    .map(({ type, call }) => (type === 'status-update' ? `${call.status} ${call.phoneCallStatus}` : type))

/** Milliseconds from the placing of the call to its end. */
const lasted = ({ createdAt, endAt }: Record<string, unknown>) =>
  Date.parse(String(endAt)) - Date.parse(String(createdAt))

describe('a call that is not answered', () => {
  test.each([
    [1, 'busy', 1000],
    [2, 'no-answer', 30_000],
    [4, 'failed', 1000],
  ] as const)('018%i: queued, then finished with %s', async (last, phoneCallStatus, time) => {
    const model = await startModelServer({ say: 'never asked' })
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ llm: { url: model.url } })
    const all = { enabled: true }
    const record = await talk(
      sandbox,
      caller,
      { assistantServer: { url: sink.url }, assistantAnalysis: { summary: all, successEvaluation: all } },
      { userNumber: number(last) },
    )
    const callId = String(record.id)
    expect(statusesOf(sink, callId)).toEqual(['queued ringing', `finished ${phoneCallStatus}`])
    const { call, analysis } = sink.of(callId)[1] ?? {}
    expect(call).toMatchObject({ callEndTriggerBy: 'system', userNumber: number(last) })
    expect(call).not.toHaveProperty('startAt')
    expect(analysis).toEqual({})
    expect(lasted(record)).toBe(time)
    expect(record).toMatchObject({
      status: 'completed',
      phoneCallStatus,
      callEndTriggerBy: 'system',
      messages: [],
      endAt: call?.endAt,
      updatedAt: call?.endAt,
    })
    expect(model.requests).toEqual([])
    expect(sandbox.events.filter(({ kind }) => kind === 'call')).toEqual([
      { kind: 'call', callId, status: 'queued' },
      { kind: 'call', callId, status: 'finished', phoneCallStatus },
    ])
  })

  test('the 30 seconds are those of the call’s clock', async () => {
    const clock = manualClock()
    const sandbox = await startTestSandbox({ clock, pace: 4 })
    const id = await beginCall(sandbox, { userNumber: number(2), assistant: {} })
    await clock.advance(7499)
    expect(await recordOf(sandbox, id)).toMatchObject({ status: 'queued' })
    await clock.advance(1)
    await sandbox.idle()
    expect(lasted(await recordOf(sandbox, id))).toBe(30_000)
  })

  test('a call that is hung up while ringing, or whose sandbox stops, was canceled', async () => {
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ clock: manualClock(), pace: 1 })
    const assistant = { assistantServer: { url: sink.url } }
    const hungUp = await beginCall(sandbox, { userNumber: number(2), assistant })
    await sandbox.send('POST', `${paths.calls}/${hungUp}/control`, { type: 'hangup' })
    const stopped = await beginCall(sandbox, { userNumber: number(2), assistant })
    await sandbox.close()
    const ends = [hungUp, stopped].map(id => sink.of(id).at(-1)?.call)
    expect(ends).toMatchObject([
      { phoneCallStatus: 'canceled', callEndTriggerBy: 'control' },
      { phoneCallStatus: 'canceled', callEndTriggerBy: 'system' },
    ])
  })
})

test.each([
  [
    3,
    'user',
    ['user: *', 'assistant: Spoke and Chain, hello.', 'assistant: *', 'assistant: Are you still there?'],
  ],
  [6, 'user', ['assistant: Spoke and (cut)']],
])('018%i is answered, and %s ends the call', async (last, endedBy, said) => {
  const sink = await webhookSink()
  const { id, messages, callEndTriggerBy } = await talk(
    await startTestSandbox(),
    caller,
    { welcomeMessage: 'Spoke and Chain, hello.', idleTimeout: 5, assistantServer: { url: sink.url } },
    { userNumber: number(last) },
  )
  expect(statusesOf(sink, String(id)).filter(each => each !== 'conversation-update')).toEqual([
    'queued ringing',
    'ongoing in-progress',
    'finished completed',
  ])
  const lines = messages.map(
    ({ role, text, interrupted }) => `${role}: ${text}${interrupted === true ? ' (cut)' : ''}`,
  )
  expect(lines.map(line => line.replace(/: (The person|This is) .*/, ': *'))).toEqual(said)
  expect(callEndTriggerBy).toBe(endedBy)
})

const ending = async (sandbox: TestSandbox, userNumber: string, fields = {}) =>
  (await talk(sandbox, caller, {}, { userNumber, ...fields })).phoneCallStatus ?? 'answered'

describe('the called number decides', () => {
  const connect = async (sandbox: TestSandbox, direction: string, last: number) => {
    const { body } = await sandbox.send('POST', paths.connect, {
      direction,
      phoneNumberId: 'pn_1',
      customer: { number: number(last), name: 'Ada' },
      assistant: {},
      metadata: { caller },
    })
    await sandbox.idle()
    return recordOf(sandbox, String(body.id))
  }

  test.each(['+1 (202) 555-0181', '2025550181', 'tel:+1-202-555-0181', '001 202 555 0181'])(
    'as %s, too',
    async userNumber => {
      expect(await ending(await startTestSandbox(), userNumber)).toBe('busy')
    },
  )

  test('of Connect call for an outbound one; a user who calls has answered', async () => {
    const sandbox = await startTestSandbox()
    expect(await connect(sandbox, 'outbound', 1)).toMatchObject({ phoneCallStatus: 'busy', messages: [] })
    const inbound = await connect(sandbox, 'inbound', 1)
    expect(inbound).not.toHaveProperty('phoneCallStatus')
    expect(inbound.messages.length).toBeGreaterThan(2)
  })

  test('and not that of the assistant', async () => {
    const sandbox = await startTestSandbox()
    expect(await ending(sandbox, '+12025550123', { assistantNumber: number(1) })).toBe('answered')
  })

  test('by the numbers file for any other number, overriding the table', async () => {
    const sandbox = await startTestSandbox({
      numbers: [
        { number: '+44 20 7946 0190', outcome: ['busy', 'no-answer', 'unreachable'] },
        { number: number(1), outcome: 'answered' },
      ],
    })
    const four = []
    for (const _ of Array(4)) four.push(await ending(sandbox, '0044 20 79460190'))
    expect(four).toEqual(['busy', 'no-answer', 'failed', 'failed'])
    expect(await ending(sandbox, number(1))).toBe('answered')
  })

  test('of 0185 only the first call to it is not answered, in any notation', async () => {
    const sandbox = await startTestSandbox()
    await connect(sandbox, 'inbound', 5)
    const endings = []
    for (const notation of ['+12025550185', '+1 (202) 555-0185', '2025550185'])
      endings.push(await ending(sandbox, notation))
    expect(endings).toEqual(['no-answer', 'answered', 'answered'])
  })

  test('of 0185 the first call is that of a world and its records', async () => {
    const data = join(await temporaryFolder(), 'sandbox.ndjson')
    const before = await startTestSandbox({ data })
    expect(await ending(before, number(5))).toBe('no-answer')
    await before.close()
    const sandbox = await startTestSandbox({ data })
    const after = sandbox.first.snapshot()
    expect(await ending(sandbox, number(5))).toBe('answered')
    await sandbox.first.restore({ ...after, entries: [] })
    expect(await ending(sandbox, number(5))).toBe('no-answer')
    await sandbox.first.restore(after)
    expect(await ending(sandbox, number(5))).toBe('answered')
    const other = await sandbox.world()
    const inOther = async () => (await talkIn(other, caller, {}, { userNumber: number(5) })).phoneCallStatus
    expect([await inOther(), await inOther()]).toEqual(['no-answer', undefined])
  })
})

/** A service with a thousand calls shows nothing more than one with two hundred. */
const rounds = everyCase ? 20 : 4

test(`${50 * rounds} calls to all numbers, fifty at once, end as their numbers say, each with its webhooks once`, async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox()
  const { _id: assistantId } = await createAssistant(sandbox, {
    assistantServer: { url: sink.url, timeoutSeconds: 300 },
    maxCallDuration: 1,
  })
  const numbers = [...[1, 2, 3, 4, 5, 6, 7, 8].map(number), '+12025550123', '+12025550124']
  const call = async (to: string) => ({
    to,
    id: await beginCall(sandbox, { userNumber: to, assistantId, metadata: { caller } }),
  })
  const placed = []
  for (const _ of Array(rounds)) placed.push(...(await Promise.all(Array(5).fill(numbers).flat().map(call))))
  await sandbox.idle()
  const each = 5 * rounds
  const counts = new Map<string, number>()
  for (const { to, id } of placed) {
    const { call } = sink.of(id).at(-1) ?? {}
    const key = `${to.slice(-4)} ${call?.status} ${call?.phoneCallStatus} ${call?.callEndTriggerBy}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    const answered = call?.phoneCallStatus === 'completed'
    const statuses = statusesOf(sink, id).filter(each => each !== 'conversation-update')
    expect(statuses).toHaveLength(answered ? 3 : 2)
  }
  expect(Object.fromEntries([...counts].sort())).toEqual({
    '0123 finished completed user': each,
    '0124 finished completed user': each,
    '0181 finished busy system': each,
    '0182 finished no-answer system': each,
    '0183 finished completed user': each,
    '0184 finished failed system': each,
    '0185 finished completed user': each - 1,
    '0185 finished no-answer system': 1,
    '0186 finished completed user': each,
    '0187 finished completed system': each,
    '0188 finished completed system': each,
  })
})

test('calls that are placed at once each take the next outcome of their number', async () => {
  const sandbox = await startTestSandbox({ data: join(await temporaryFolder(), 'records.ndjson') })
  const { calls } = sandbox.first
  const call = { userNumber: number(5), assistantNumber: from, assistant: {} }
  const inbound = { direction: 'inbound', phoneNumberId: 'pn_1', customer: { number: from } } as const
  // The first record is written alone, and the others together.
  const first = calls.connect({ ...inbound, assistant: {} })
  const placed = await Promise.all(Array.from({ length: 20 }, () => calls.start(call)))
  await first
  await sandbox.idle()
  expect(placed.map(({ id }) => calls.state(id).phoneCallStatus).toSorted()).toEqual([
    'no-answer',
    ...Array.from({ length: 19 }, () => undefined),
  ])
})

test('a call that cannot be recorded takes no outcome', async () => {
  const disk = failingDisk()
  const sandbox = await startTestSandbox({ data: join(await temporaryFolder(), 'records.ndjson'), disk })
  const place = () => beginCall(sandbox, { assistant: {}, userNumber: number(5) })
  disk.room = 0
  await expect(place()).rejects.toThrow()
  disk.room = Number.POSITIVE_INFINITY
  const id = await place()
  await sandbox.idle()
  expect(sandbox.first.calls.state(id).phoneCallStatus).toBe('no-answer')
})
