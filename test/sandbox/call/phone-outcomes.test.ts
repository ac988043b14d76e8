import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../helpers/every-case.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import {
  begin,
  createAssistant,
  from,
  place,
  recordOf,
  saidIn,
  startTestSandbox,
  type TestSandbox,
} from '../../helpers/test-sandbox.ts'
import { type WebhookSink, webhookSink } from '../../helpers/webhook-sink.ts'

const number = (last: number) => `+1202555018${last}`
const caller = ['Are you open?', 'Thanks.']
const all = { enabled: true }

const statusesOf = (sink: WebhookSink, id: string) =>
  sink
    .of(id)
    .map(({ type, call }) => (type === 'status-update' ? `${call.status} ${call.phoneCallStatus}` : type))

/** Milliseconds from the placing of the call to its end. */
async function lasted(sandbox: TestSandbox, id: string): Promise<number> {
  const { createdAt, endAt } = await recordOf(sandbox, id)
  return Date.parse(String(endAt)) - Date.parse(String(createdAt))
}

describe('a call that is not answered', () => {
  test.each([
    [1, 'busy', 1000],
    [2, 'no-answer', 30_000],
    [4, 'failed', 1000],
  ] as const)('018%i: queued, then finished with %s', async (last, phoneCallStatus, time) => {
    const model = await startModelServer({ say: 'never asked' })
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ llm: { url: model.url } })
    const id = await place(sandbox, {
      userNumber: number(last),
      assistant: {
        assistantServer: { url: sink.url },
        assistantAnalysis: { summary: all, successEvaluation: all },
      },
      metadata: { caller },
    })
    expect(statusesOf(sink, id)).toEqual(['queued ringing', `finished ${phoneCallStatus}`])
    const { call, analysis } = sink.of(id)[1] ?? {}
    expect(call).toMatchObject({ callEndTriggerBy: 'system', userNumber: number(last) })
    expect(call).not.toHaveProperty('startAt')
    expect(analysis).toEqual({})
    expect(await lasted(sandbox, id)).toBe(time)
    expect(await recordOf(sandbox, id)).toMatchObject({
      status: 'completed',
      phoneCallStatus,
      callEndTriggerBy: 'system',
      messages: [],
      endAt: call?.endAt,
      updatedAt: call?.endAt,
    })
    expect(model.requests).toEqual([])
  })

  test('the 30 seconds are those of the call’s clock', async () => {
    const clock = manualClock()
    const sandbox = await startTestSandbox({ clock, pace: 4 })
    const id = await begin(sandbox, { userNumber: number(2), assistant: {} })
    await clock.advance(7499)
    expect(await recordOf(sandbox, id)).toMatchObject({ status: 'queued' })
    await clock.advance(1)
    await sandbox.idle()
    expect(await recordOf(sandbox, id)).toMatchObject({ status: 'completed', phoneCallStatus: 'no-answer' })
    expect(await lasted(sandbox, id)).toBe(30_000)
  })

  test('on a frozen clock the phone rings until 30 seconds are let pass', async () => {
    const sandbox = await startTestSandbox({ frozen: true, pace: 1 })
    const { clock } = sandbox.first
    const id = await begin(sandbox, { userNumber: number(2), assistant: {} })
    await clock.advance(29_999)
    expect(await recordOf(sandbox, id)).toMatchObject({ status: 'queued' })
    await clock.advance(1)
    expect(await recordOf(sandbox, id)).toMatchObject({ status: 'completed', phoneCallStatus: 'no-answer' })
    expect(await lasted(sandbox, id)).toBe(30_000)
  })

  test('a call that is hung up while ringing, or whose sandbox stops, was canceled', async () => {
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ clock: manualClock(), pace: 1 })
    const assistant = { assistantServer: { url: sink.url } }
    const hungUp = await begin(sandbox, { userNumber: number(2), assistant })
    await sandbox.send('POST', `/calls/v1/conversations/${hungUp}/control`, { type: 'hangup' })
    const stopped = await begin(sandbox, { userNumber: number(2), assistant })
    await sandbox.close()
    expect(sink.of(hungUp).at(-1)?.call).toMatchObject({
      phoneCallStatus: 'canceled',
      callEndTriggerBy: 'control',
    })
    expect(sink.of(stopped).at(-1)?.call).toMatchObject({
      phoneCallStatus: 'canceled',
      callEndTriggerBy: 'system',
    })
  })

  test('the log says why', async () => {
    const sandbox = await startTestSandbox()
    const callId = await place(sandbox, { userNumber: number(1), assistant: {} })
    const statuses = sandbox.events.filter(({ kind }) => kind === 'call')
    expect(statuses).toEqual([
      { kind: 'call', callId, status: 'queued' },
      { kind: 'call', callId, status: 'finished', phoneCallStatus: 'busy' },
    ])
  })
})

describe('a call that is answered', () => {
  const spoken = async (last: number, assistant: Record<string, unknown> = {}) => {
    const sink = await webhookSink()
    const sandbox = await startTestSandbox()
    const id = await place(sandbox, {
      userNumber: number(last),
      assistant: {
        welcomeMessage: 'Spoke and Chain, hello.',
        ...assistant,
        assistantServer: { url: sink.url },
      },
      metadata: { caller },
    })
    expect(statusesOf(sink, id).filter(each => each !== 'conversation-update')).toEqual([
      'queued ringing',
      'ongoing in-progress',
      'finished completed',
    ])
    return { record: await recordOf(sandbox, id), said: await saidIn(sandbox, id) }
  }

  test('0183: voicemail greets, keeps what the assistant says, and hangs up after silence', async () => {
    const { record, said } = await spoken(3, { idleTimeout: 5 })
    expect(said[0]).toMatch(/^user: .*leave a message after the tone\.$/)
    expect(said[1]).toBe('assistant: Spoke and Chain, hello.')
    expect(said.at(-1)).toBe('assistant: Are you still there?')
    expect(said.join()).not.toContain('Are you open?')
    expect(record).toMatchObject({ callEndTriggerBy: 'user', startAt: expect.any(String) })
  })

  test('0186: the caller hangs up in the middle of the welcome', async () => {
    const { record } = await spoken(6)
    expect(record).toMatchObject({
      callEndTriggerBy: 'user',
      messages: [{ role: 'assistant', text: 'Spoke and', interrupted: true }],
    })
  })

  test('0187 drops the line ten seconds after answering', async () => {
    const { record, said } = await spoken(7, {
      assistantPredefinedTools: { endCall: true },
      endCallMessage: 'Goodbye.',
    })
    expect(record.callEndTriggerBy).toBe('system')
    expect(Date.parse(String(record.endAt)) - Date.parse(String(record.startAt))).toBe(10_000)
    expect(said).toContain('user: Are you open?')
    expect(said.join()).not.toContain('Goodbye')
  })

  test('0188: idle messages and the longest duration run their course', async () => {
    const { record, said } = await spoken(8, {
      idleTimeout: 10,
      maxIdleMessagesInSequence: 3,
      maxCallDuration: 2,
    })
    expect(said).toEqual([
      'assistant: Spoke and Chain, hello.',
      ...Array.from({ length: 3 }, () => 'assistant: Are you still there?'),
    ])
    expect(record.callEndTriggerBy).toBe('system')
    expect(Date.parse(String(record.endAt)) - Date.parse(String(record.startAt))).toBe(120_000)
  })
})

const ending = async (sandbox: TestSandbox, userNumber: string) =>
  (await recordOf(sandbox, await place(sandbox, { userNumber, assistant: {}, metadata: { caller } })))
    .phoneCallStatus ?? 'answered'

describe('the number decides', () => {
  test.each(['+1 (202) 555-0181', '2025550181', 'tel:+1-202-555-0181', '001 202 555 0181'])(
    'as %s, too',
    async userNumber => {
      expect(await ending(await startTestSandbox(), userNumber)).toBe('busy')
    },
  )

  test('of Connect call for an outbound one, and a user who calls has answered', async () => {
    const sandbox = await startTestSandbox()
    const connect = async (direction: string) => {
      const { body } = await sandbox.send('POST', '/calls/v1/conversations/connect', {
        direction,
        phoneNumberId: 'pn_1',
        customer: { number: number(1), name: 'Ada' },
        assistant: {},
        metadata: { caller },
      })
      await sandbox.idle()
      return recordOf(sandbox, String(body.id))
    }
    expect(await connect('outbound')).toMatchObject({ phoneCallStatus: 'busy', messages: [] })
    const inbound = await connect('inbound')
    expect(inbound).not.toHaveProperty('phoneCallStatus')
    expect(inbound.messages.length).toBeGreaterThan(2)
  })

  test('and not that of the assistant', async () => {
    const sandbox = await startTestSandbox()
    const id = await place(sandbox, { assistantNumber: number(1), assistant: {}, metadata: { caller } })
    expect((await recordOf(sandbox, id)).phoneCallStatus).toBeUndefined()
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
})

describe('0185 does not answer the first call and answers later ones', () => {
  const notations = ['+12025550185', '+1 (202) 555-0185', '2025550185', '+1.202.555.0185']

  test('in any notation, but not calls from the number', async () => {
    const sandbox = await startTestSandbox()
    const inbound = {
      direction: 'inbound',
      phoneNumberId: 'pn_1',
      customer: { number: number(5) },
      assistant: {},
    }
    await sandbox.send('POST', '/calls/v1/conversations/connect', inbound)
    const endings = []
    for (const notation of notations) endings.push(await ending(sandbox, notation))
    expect(endings).toEqual(['no-answer', 'answered', 'answered', 'answered'])
  })

  test('once in each sandbox, also after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callyard-phones-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const data = join(folder, 'sandbox.ndjson')
    const first = await startTestSandbox({ data })
    expect(await ending(first, number(5))).toBe('no-answer')
    await first.close()
    expect(await ending(await startTestSandbox({ data }), number(5))).toBe('answered')
    expect(await ending(await startTestSandbox(), number(5))).toBe('no-answer')
  })

  test('again in another world, after a reset, and after a snapshot from before is restored', async () => {
    const sandbox = await startTestSandbox()
    const before = sandbox.first.snapshot()
    expect(await ending(sandbox, number(5))).toBe('no-answer')
    const after = sandbox.first.snapshot()
    await sandbox.first.reset()
    expect(await ending(sandbox, number(5))).toBe('no-answer')
    await sandbox.first.restore(after)
    expect(await ending(sandbox, number(5))).toBe('answered')
    await sandbox.first.restore(before)
    expect(await ending(sandbox, number(5))).toBe('no-answer')

    const { calls, team, idle } = await sandbox.world()
    const inOther = async () => {
      const body = { userNumber: number(5), assistantNumber: from, assistant: {}, metadata: { caller } }
      const headers = { authorization: `Bearer ${team.apiKey}` }
      const { body: placed } = await sandbox.send('POST', '/calls/v1/conversations', body, headers)
      await idle()
      return calls.state(String(placed.sid))
    }
    expect(await inOther()).toMatchObject({ phoneCallStatus: 'no-answer' })
    expect(await inOther()).not.toHaveProperty('phoneCallStatus')
  })

  test('leaves one of a hundred concurrent calls unanswered', async () => {
    const sandbox = await startTestSandbox()
    const placed = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        begin(sandbox, { userNumber: notations[index % 4], assistant: {}, metadata: { caller } }),
      ),
    )
    await sandbox.idle()
    const endings = await Promise.all(placed.map(async id => (await recordOf(sandbox, id)).phoneCallStatus))
    expect(endings.filter(status => status === 'no-answer')).toHaveLength(1)
  })
})

/** A service with a thousand calls shows nothing more than one with two hundred. */
const rounds = everyCase ? 20 : 4

test(`${50 * rounds} calls to all numbers, fifty at once, end as their numbers say, each with its webhooks once`, {
  timeout: 60_000,
}, async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox()
  const { _id: assistantId } = await createAssistant(sandbox, {
    assistantServer: { url: sink.url },
    maxCallDuration: 1,
  })
  const numbers = [...[1, 2, 3, 4, 5, 6, 7, 8].map(number), '+12025550123', '+12025550124']
  const call = async (to: string) => ({
    to,
    id: await begin(sandbox, { userNumber: to, assistantNumber: from, assistantId, metadata: { caller } }),
  })
  const placed = []
  for (const _ of Array(rounds))
    placed.push(
      ...(await Promise.all([...numbers, ...numbers, ...numbers, ...numbers, ...numbers].map(call))),
    )
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

test('faults of an unanswered call affect only its own webhooks', async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox({ webhookFaults: { duplicate: 1 } })
  const assistant = { assistantServer: { url: sink.url } }
  const busy = await place(sandbox, { userNumber: number(1), assistant })
  expect(statusesOf(sink, busy)).toEqual([
    'queued ringing',
    'queued ringing',
    'finished busy',
    'finished busy',
  ])
  const silent = await startTestSandbox({ webhookFaults: { drop: 1 }, httpFaults: {} })
  const lost = await webhookSink()
  const dropped = await place(silent, {
    userNumber: number(1),
    assistant: { assistantServer: { url: lost.url } },
  })
  expect(lost.received).toEqual([])
  expect(await recordOf(silent, dropped)).toMatchObject({ phoneCallStatus: 'busy' })
})

test('the same requests get the same ids, times and statuses', async () => {
  const run = async () => {
    const sandbox = await startTestSandbox({ seed: 7 })
    const records = []
    for (const last of [1, 2, 3, 4, 5, 5, 6, 7, 8]) {
      const assistant = { maxCallDuration: 1 }
      records.push(await recordOf(sandbox, await place(sandbox, { userNumber: number(last), assistant })))
    }
    return JSON.stringify(records).replaceAll(sandbox.baseUrl, '')
  }
  expect(await run()).toBe(await run())
})
