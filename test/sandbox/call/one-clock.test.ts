import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCallerLine } from '../../../src/files/formats/caller-script.ts'
import type { ControlCommand } from '../../../src/sandbox/engine/call-state.ts'
import type { World } from '../../../src/sandbox/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { createTool, startTestSandbox, type TestSandbox } from '../../helpers/test-sandbox.ts'
import { startToolServer } from '../../helpers/tool-server.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

const minute = 60_000

const words = fc.constantFrom('Are you open?', 'Where is it', 'My number is 12.', 'Thank you', 'No')
const lines = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: words },
    fc.integer({ min: 1, max: 50 }).map(seconds => `/say-nothing ${seconds}`),
    fc.constantFrom('/keys 1', '/keys 12#', '/interrupt Wait', '/interrupt No, at 12.'),
  ),
  { maxLength: 5 },
)
const assistants = fc.record({
  welcomeMessage: fc.constantFrom('', 'Hello, this is the front desk.'),
  welcomeMessageMode: fc.constantFrom('assistant-speaks-first', 'assistant-waits-for-user'),
  idleTimeout: fc.constantFrom(5, 10, 30),
  maxIdleMessagesInSequence: fc.constantFrom(1, 2),
  maxCallDuration: fc.constantFrom(1, 10),
  dtmfInputEnabled: fc.boolean(),
  welcomeMessageInterruptionsEnabled: fc.boolean(),
})

/** The caller has the floor at once. */
const silentStart = {
  welcomeMessage: '',
  welcomeMessageMode: 'assistant-speaks-first',
  idleTimeout: 5,
  maxIdleMessagesInSequence: 1,
  maxCallDuration: 1,
  dtmfInputEnabled: false,
  welcomeMessageInterruptionsEnabled: false,
} as const

function placeIn({ calls }: World, fields: Record<string, unknown>) {
  return calls.start({ userNumber: '+12025550123', assistantNumber: '+12025550100', ...fields })
}

/** The record of a call with times relative to its start. */
function courseOf({ store }: World, id: string) {
  const { createdAt, startAt, endAt, callEndTriggerBy, messages } = store.call(id) ?? {}
  const since = (at: unknown) =>
    at === undefined ? undefined : Date.parse(String(at)) - Date.parse(String(createdAt))
  return {
    started: since(startAt),
    ended: since(endAt),
    callEndTriggerBy,
    messages: messages?.map(
      ({ role, text, timestamp, interrupted = false }) =>
        `${since(timestamp)} ${role}: ${text}${interrupted ? ' (cut)' : ''}`,
    ),
  }
}

/** The parts of a record that do not depend on the pace: not the spoken part of a reply that was cut off. */
function withoutTimes({ messages, callEndTriggerBy }: ReturnType<typeof courseOf>) {
  const said = messages?.map(message => message.replace(/^\d+ /, '').replace(/: .* \(cut\)$/, ': (cut)'))
  return { callEndTriggerBy, said }
}

async function inWorld<Result>(
  sandbox: TestSandbox,
  options: NonNullable<Parameters<TestSandbox['world']>[0]>,
  use: (world: World) => Promise<Result>,
): Promise<Result> {
  const world = await sandbox.world(options)
  try {
    return await use(world)
  } finally {
    await world.close()
  }
}

/**
 * The same lines of a live caller, each when the floor is free, as in `call chat`; an interruption when the previous line was spoken or
 * the phone was picked up.
 */
async function chat(sandbox: TestSandbox, assistant: Record<string, unknown>, script: readonly string[]) {
  const waiting = script.map(toCommand)
  let world: World | undefined
  let interrupts = false
  const options: NonNullable<Parameters<TestSandbox['world']>[0]> = {
    pace: 0,
    caller: 'live',
    observe(observation) {
      const { kind, callId } = observation
      const give = () => world?.calls.intervene(callId, waiting.shift() ?? { type: 'hang-up', by: 'user' })
      // Where neither side speaks, what was given is said now, and the floor is free again after it.
      if (kind === 'listening' && !interrupts) give()
      const isBefore =
        (kind === 'status' && observation.status === 'ongoing') ||
        (kind === 'message' && observation.role === 'user')
      interrupts = isBefore && waiting[0]?.type === 'interrupt'
      if (interrupts) give()
    },
  }
  return inWorld(sandbox, options, async opened => {
    world = opened
    const { id } = await placeIn(opened, { assistant })
    await opened.idle()
    return courseOf(opened, id)
  })
}

function toCommand(line: string): ControlCommand {
  const parsed = parseCallerLine(line)
  if (!('turn' in parsed)) throw new Error(parsed.problem)
  const { turn } = parsed
  if (turn.type === 'hang-up') return { type: 'hang-up', by: 'user' }
  return turn.type === 'say' ? { ...turn, role: 'user' } : turn
}

test('the same lines take the same times at pace 0, frozen and advanced, at pace n, and in a chat', async () => {
  const sandbox = await startTestSandbox()
  const machine = manualClock()
  const paced = await startTestSandbox({ clock: machine, pace: 1 })
  await fc.assert(
    fc.asyncProperty(
      assistants,
      lines,
      fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 5 }),
      fc.constantFrom(1, 7, 60),
      async (assistant, script, parts, pace) => {
        // A person may interrupt the same speech twice; a script interrupts each speech once.
        const interruptsTwice = /interrupt[^/]*\/interrupt/.test(script.join())
        fc.pre(assistant.welcomeMessageInterruptionsEnabled || !interruptsTwice)
        const placed = (world: World) => placeIn(world, { assistant, metadata: { caller: script } })
        const ahead = await inWorld(sandbox, { pace: 0 }, async world => {
          const { id } = await placed(world)
          await world.idle()
          return courseOf(world, id)
        })
        const advanced = await inWorld(sandbox, { frozen: true }, async world => {
          const { id } = await placed(world)
          for (const part of parts) await world.clock.advance(part)
          await world.clock.advance(15 * minute)
          return courseOf(world, id)
        })
        const real = await inWorld(paced, { pace }, async world => {
          const { id } = await placed(world)
          await machine.advance((15 * minute) / pace)
          return courseOf(world, id)
        })
        expect(ahead.ended).toBeGreaterThan(0)
        expect(advanced).toEqual(ahead)
        // A millisecond of the machine is `pace` milliseconds of the call; each reply may be that much later.
        const latest = (pace - 1) * (script.length + 1)
        const late = (real.ended ?? 0) - (ahead.ended ?? 0)
        expect(late).toBeGreaterThanOrEqual(0)
        expect(late).toBeLessThanOrEqual(latest)
        // What comes that late may come after the call is cut off.
        const isCutOff = (ahead.ended ?? 0) + latest > assistant.maxCallDuration * minute
        if (!isCutOff) expect(withoutTimes(real)).toEqual(withoutTimes(ahead))
        // Who scripts a caller says when the call is over; a chat hangs up when it has the floor again.
        expect(await chat(sandbox, assistant, script)).toEqual(ahead)
      },
    ),
    { numRuns: runs(40), examples: [[silentStart, ['/interrupt Wait'], [], 1]] },
  )
})

test('a thousand calls on a frozen clock: nothing happens but by advance, then all of it, webhooks too', async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox({ pace: 1, frozen: true })
  const { first } = sandbox
  const ids: string[] = []
  for (let index = 0; index < 1000; index += 1) {
    const assistantServer = index % 10 === 0 ? { url: sink.url } : {}
    const assistant = { welcomeMessage: 'Hello.', assistantServer }
    ids.push((await placeIn(first, { assistant, metadata: { caller: ['Hi', 'Bye'] } })).id)
  }
  await first.clock.advance(0)
  expect(new Set(ids.map(id => first.store.call(id)?.status))).toEqual(new Set(['queued']))
  await first.clock.advance(minute)
  for (const id of ids.filter((_, index) => index % 10 === 0)) {
    const received = sink.of(id)
    expect(received.at(-1)).toMatchObject({ type: 'status-update', call: { status: 'finished' } })
    expect(received).toHaveLength(3 + 5)
  }
  expect(new Set(ids.map(id => JSON.stringify(courseOf(first, id)))).size).toBe(1)
})

/** A call in which the caller asks for a table: what was said, and when. */
async function callForTable(sandbox: TestSandbox, tool: object, pass: () => Promise<void>) {
  const { _id } = await createTool(sandbox, {
    function: { name: 'book_table', description: 'Books a table' },
    messages: [
      { type: 'request-start', content: 'Let me see.' },
      { type: 'request-response-delayed', content: 'Still looking.', timingMilliseconds: 1500 },
      { type: 'request-complete', content: 'It is booked.' },
    ],
    ...tool,
  })
  const { first } = sandbox
  const { id } = await placeIn(first, {
    assistant: { assistantToolIds: [_id] },
    metadata: { caller: ['Please book a table', '/say-nothing 5'] },
  })
  await pass()
  const { messages = [] } = first.store.call(id) ?? {}
  const at = (text: string) => Date.parse(String(messages.find(one => one.text === text)?.timestamp))
  return { texts: messages.map(({ text }) => text), at }
}

test('a tool may let time pass while it is asked: the caller hears the delayed message at its time', async () => {
  const sandbox = await startTestSandbox({ pace: 1, frozen: true })
  const { clock } = sandbox.first
  const server = await startToolServer(() => ({ json: { table: 7 }, after: clock.advance(4000) }))
  const tool = { server: { url: server.url } }
  const { texts, at } = await callForTable(sandbox, tool, () => clock.advance(minute))
  expect(server.requests).toHaveLength(1)
  expect(texts).toEqual(expect.arrayContaining(['Let me see.', 'Still looking.', 'It is booked.']))
  expect(at('Still looking.') - at('Please book a table')).toBeGreaterThanOrEqual(1500)
})

test('of an asynchronous tool that has responded nothing more is said', async () => {
  const sandbox = await startTestSandbox({ pace: 1, frozen: true })
  const { url } = await startToolServer()
  const pass = () => sandbox.first.clock.advance(minute)
  const { texts } = await callForTable(sandbox, { async: true, server: { url } }, pass)
  expect(texts).toContain('It is booked.')
  expect(texts).not.toContain('Still looking.')
})

describe('at pace 0 the real time of a tool is time of the call', () => {
  /** A call whose tool takes this many milliseconds of real time. */
  async function callWithTool(tookMs: number, more: object = {}) {
    let passed = 0
    const server = await startToolServer(() => {
      passed += tookMs
      return { json: { table: 7 } }
    })
    const sandbox = await startTestSandbox({ clock: { ...realClock, now: () => passed } })
    const tool = { server: { url: server.url }, ...more }
    const { texts, at } = await callForTable(sandbox, tool, sandbox.idle)
    expect(server.requests).toHaveLength(1)
    return { texts, waited: at('It is booked.') - at('Let me see.') }
  }

  test.each<[number, boolean]>([
    [1499, false],
    [1500, true],
    [20_000, true],
  ])('%i ms: the delayed message is spoken: %s', async (tookMs, isSpoken) => {
    const { texts, waited } = await callWithTool(tookMs)
    expect(texts.includes('Still looking.')).toBe(isSpoken)
    const fast = await callWithTool(0)
    expect(waited - fast.waited).toBeGreaterThanOrEqual(isSpoken ? 0 : 1)
    expect(texts.filter(text => text !== 'Still looking.')).toEqual(fast.texts)
  })

  test('delivers the result of a slow asynchronous tool at its time', async () => {
    const { texts } = await callWithTool(2000, { async: true })
    expect(texts).toContain('Still looking.')
  })

  test('a fast server takes no time, so each run is the same', async () => {
    const [one, ...others] = await Promise.all([0, 7, 499].map(tookMs => callWithTool(tookMs)))
    for (const other of others) expect(other).toEqual(one)
  })
})

test('a receiver may advance the clock before it responds', async () => {
  let world: World | undefined
  let requests = 0
  const server = await startToolServer(() => {
    requests += 1
    const json = { message: 'ok' }
    return requests < 3 && world !== undefined ? { json, after: world.clock.advance(1000) } : { json }
  })
  const sandbox = await startTestSandbox({ pace: 1, frozen: true })
  world = sandbox.first
  await placeIn(world, { assistant: { assistantServer: { url: server.url } } })
  await world.clock.advance(minute)
  await world.idle()
  expect(sandbox.events.filter(({ kind }) => kind === 'delivery-failed')).toEqual([])
  expect(requests).toBeGreaterThan(3)
})

test('a live caller who is silent is asked and at last hung up by maxCallDuration, as far as time is advanced', async () => {
  for (const options of [{ pace: 1, frozen: true }, { pace: 0 }]) {
    const sandbox = await startTestSandbox({ ...options, caller: 'live' })
    const { first } = sandbox
    const { id } = await placeIn(first, {
      assistant: {
        welcomeMessage: 'Hello.',
        idleTimeout: 20,
        maxIdleMessagesInSequence: 2,
        maxCallDuration: 3,
      },
    })
    const said = () =>
      (first.calls.state(id) as { messages: { text: string }[] }).messages.map(({ text }) => text)
    await first.clock.advance(10_000)
    expect(said()).toEqual(['Hello.'])
    await first.clock.advance(20_000)
    expect(said()).toEqual(['Hello.', 'Are you still there?'])
    await first.clock.advance(2 * minute)
    expect(said()).toEqual(['Hello.', 'Are you still there?', 'Are you still there?'])
    await first.clock.advance(10 * minute)
    expect(courseOf(first, id)).toMatchObject({ callEndTriggerBy: 'system', started: 1000, ended: 181_000 })
  }
})

test('delayed webhooks wait in the time of the world', async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox({ pace: 1, frozen: true, webhookFaults: { delay: 1 }, seed: 3 })
  const { first } = sandbox
  const { id } = await placeIn(first, { assistant: { assistantServer: { url: sink.url } } })
  await first.clock.advance(0)
  expect(sink.received).toEqual([])
  await first.clock.advance(2000)
  expect(sink.of(id).length).toBeGreaterThan(0)
  await first.clock.advance(5 * minute)
  expect(sink.of(id).at(-1)?.call.status).toBe('finished')
})

test('an advance waits for the analysis that a model makes, and for the last webhook', async () => {
  const sink = await webhookSink()
  const model = await startModelServer(() => ({ say: 'They talked.' }))
  const sandbox = await startTestSandbox({ pace: 1, frozen: true, llm: { url: model.url } })
  const { first } = sandbox
  const { id } = await placeIn(first, {
    assistant: {
      assistantServer: { url: sink.url },
      assistantAnalysis: { summary: { enabled: true, prompt: 'Sum up' } },
    },
    metadata: { caller: ['Hello?'] },
  })
  await first.clock.advance(minute)
  expect(first.store.call(id)).toMatchObject({
    status: 'completed',
    analysis: { summary: 'They talked.' },
  })
  expect(sink.of(id).at(-1)?.call.status).toBe('finished')
})
