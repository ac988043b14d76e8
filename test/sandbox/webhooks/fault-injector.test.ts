import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type WebhookFaultName,
  type WebhookFaults,
  webhookFaultNames,
} from '../../../src/files/formats/fault-names.ts'
import { seededRandom } from '../../../src/lib/deterministic.ts'
import { createFaults } from '../../../src/sandbox/faults/fault-rules.ts'
import type { SandboxEvent } from '../../../src/sandbox/index.ts'
import { createFaultInjector, type WebhookMessage } from '../../../src/sandbox/webhooks/faults.ts'

interface Run {
  readonly faults: WebhookFaults
  readonly seed?: number
  readonly callId?: string
  readonly count: number
  /** The sandbox stops before the first message. */
  readonly hurry?: boolean
}

interface Outcome {
  /** Numbers of messages as they were sent; a negative one broke off: -1 is the message 0. */
  readonly sent: readonly number[]
  readonly faulty: Readonly<Record<WebhookFaultName, readonly number[]>>
  readonly slept: readonly number[]
  /** Number of faults that the rules counted. */
  readonly struck: number
}

/** Sends all messages of one call, with the last one marked as such. */
async function travel({ faults, seed = 1, callId = 'CC-1', count, hurry = false }: Run): Promise<Outcome> {
  const sent: number[] = []
  const slept: number[] = []
  const events: SandboxEvent[] = []
  const messages = Array.from(
    { length: count },
    (_, index): WebhookMessage => ({
      type: 'update',
      last: index === count - 1,
      body: () => index,
      json: String,
    }),
  )
  const random = seededRandom(seed)
  const rules = createFaults({ rules: [faults], random })
  const passage = createFaultInjector({
    faults: rules,
    random,
    log: event => events.push(event),
    time: {
      async sleep(milliseconds, signal) {
        signal?.throwIfAborted()
        slept.push(milliseconds)
      },
    },
  })(
    { callId, scope: undefined },
    async (message, how) => {
      const index = messages.indexOf(message)
      sent.push(how === 'whole' ? index : -1 - index)
    },
    hurry ? AbortSignal.abort() : new AbortController().signal,
  )
  for (const message of messages) await passage.pass(message)
  const passed = sent.length
  await passage.flush()
  expect(sent).toHaveLength(passed)
  const of = (fault: WebhookFaultName) =>
    events.flatMap(event =>
      event.kind === 'fault' && event.fault === fault && 'index' in event ? [event.index] : [],
    )
  return {
    sent,
    slept,
    struck: rules.list().reduce((sum, { struck }) => sum + struck, 0),
    faulty: {
      duplicate: of('duplicate'),
      reorder: of('reorder'),
      delay: of('delay'),
      drop: of('drop'),
      disconnect: of('disconnect'),
    },
  }
}

const all = (count: number) => Array.from({ length: count }, (_, index) => index)
const sorted = (numbers: readonly number[]) => [...numbers].sort((one, other) => one - other)
const probability = fc.constantFrom(0, 0.2, 0.5, 1)
const someFaults = (names: readonly WebhookFaultName[]) =>
  fc.record(Object.fromEntries(names.map(name => [name, probability])), { requiredKeys: [] })
const runs = (names: readonly WebhookFaultName[]) =>
  fc.record({ faults: someFaults(names), seed: fc.nat(), callId: fc.string(), count: fc.nat(30) })

test('nothing is lost but by drop and disconnect, and nothing is sent more than twice', async () => {
  const never = Object.fromEntries(webhookFaultNames.map(name => [name, 0]))
  expect(await travel({ faults: never, count: 200 })).toMatchObject({ sent: all(200), struck: 0 })
  await fc.assert(
    fc.asyncProperty(runs(webhookFaultNames), async run => {
      const { sent, faulty } = await travel(run)
      const { drop, disconnect, duplicate } = faulty
      const whole = sent.filter(index => index >= 0)
      const cut = sent.filter(index => index < 0).map(index => -1 - index)
      const lost = new Set([...drop, ...disconnect])
      expect(sorted([...new Set(whole)])).toEqual(all(run.count).filter(index => !lost.has(index)))
      for (const index of whole) {
        expect(whole.filter(other => other === index)).toHaveLength(duplicate.includes(index) ? 2 : 1)
      }
      expect(sorted(cut)).toEqual(sorted(disconnect))
      // A drop wins over everything, a disconnect over a duplicate.
      for (const others of [faulty.reorder, faulty.delay, duplicate, disconnect]) {
        expect(others.filter(index => drop.includes(index))).toEqual([])
      }
      expect(duplicate.filter(index => disconnect.includes(index))).toEqual([])
    }),
  )
})

test('duplicates and delays change no order', async () => {
  await fc.assert(
    fc.asyncProperty(runs(['duplicate', 'delay', 'drop', 'disconnect']), async run => {
      const { sent } = await travel(run)
      const order = sent.map(index => (index < 0 ? -1 - index : index))
      expect(order).toEqual(sorted(order))
    }),
  )
})

test('a reordered message swaps with the next message only', async () => {
  await fc.assert(
    fc.asyncProperty(runs(['reorder', 'drop']), async run => {
      const { sent, faulty } = await travel(run)
      const expected = all(run.count).filter(index => !faulty.drop.includes(index))
      for (const index of faulty.reorder) {
        const place = expected.indexOf(index)
        const next = expected[place + 1]
        if (next !== undefined) expected.splice(place, 2, next, index)
      }
      expect(sent).toEqual(expected)
    }),
  )
})

test('a probability of 1 swaps neighbors, and the last one without a neighbor stays', async () => {
  expect((await travel({ faults: { reorder: 1 }, count: 5 })).sent).toEqual([1, 0, 3, 2, 4])
  expect((await travel({ faults: { duplicate: 1 }, count: 2 })).sent).toEqual([0, 0, 1, 1])
  expect((await travel({ faults: { drop: 1, disconnect: 1 }, count: 3 })).sent).toEqual([])
  expect((await travel({ faults: { disconnect: 1, duplicate: 1 }, count: 2 })).sent).toEqual([-1, -2])
})

test('counts a fault only where it has an effect', async () => {
  await fc.assert(
    fc.asyncProperty(runs(webhookFaultNames), async run => {
      const { faulty, struck } = await travel(run)
      expect(struck).toBe(Object.values(faulty).flat().length)
    }),
  )
  const { faulty, struck } = await travel({ faults: { reorder: 1 }, count: 5 })
  expect([struck, faulty.reorder]).toEqual([2, [0, 2]])
})

test('the same seed and call cause the same faults; another seed or call causes others', async () => {
  const faults = { duplicate: 0.5, reorder: 0.5, drop: 0.2 }
  const run = { faults, seed: 7, callId: 'CC-7', count: 40 }
  const first = await travel(run)
  expect(await travel(run)).toEqual(first)
  expect((await travel({ ...run, seed: 8 })).sent).not.toEqual(first.sent)
  expect((await travel({ ...run, callId: 'CC-8' })).sent).not.toEqual(first.sent)
  const more = await travel({ ...run, faults: { duplicate: 0.5, delay: 0.5 } })
  expect(more.faulty.duplicate).toEqual(
    (await travel({ ...run, faults: { duplicate: 0.5 } })).faulty.duplicate,
  )
})

test('two faults of one probability do not affect the same messages', async () => {
  const { faulty } = await travel({ faults: { duplicate: 0.5, delay: 0.5 }, count: 200 })
  const both = faulty.duplicate.filter(index => faulty.delay.includes(index)).length
  expect(both).toBeGreaterThan(25)
  expect(both).toBeLessThan(75)
})

test('a delay lasts at most two seconds of the world’s time', async () => {
  const { slept, faulty } = await travel({ faults: { delay: 1 }, count: 200 })
  expect(slept).toHaveLength(200)
  expect(faulty.delay).toEqual(all(200))
  expect(Math.max(...slept)).toBeLessThanOrEqual(2000)
  expect(Math.max(...slept)).toBeGreaterThan(1000)
  expect(Math.min(...slept)).toBeLessThan(1000)
})

test('a sandbox that stops waits for no delay, and still sends', async () => {
  const { slept, sent } = await travel({ faults: { delay: 1 }, count: 3, hurry: true })
  expect(slept).toEqual([])
  expect(sent).toEqual([0, 1, 2])
})
