import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createConversationTracker } from '../../../src/events/conversation/index.ts'
import type { OnDelivery } from '../../../src/events/forward/index.ts'
import { applyBatch, applyDetail, type SelectedCall } from '../../../src/web/page/page-model.ts'
import { type Cursor, nextBatch, selection } from '../../../src/web/server/batches.ts'
import { createCallStore, type StoreBounds } from '../../../src/web/server/call-store.ts'
import type { CallDetail, CallSummary } from '../../../src/web/wire.ts'
import { conversationUpdate, message, readEvent, statusUpdate } from '../../helpers/events.ts'

type Delivery = Parameters<OnDelivery>[1]

function fill(bounds: StoreBounds = {}) {
  const tally = createConversationTracker()
  const store = createCallStore(bounds)
  let now = 0
  const take = (event: ReturnType<typeof statusUpdate>) => {
    const body = Buffer.from(JSON.stringify(event))
    const delivery = { body, headers: { 'content-type': 'application/json' } }
    return store.add(tally.apply(readEvent(event)), delivery, now++)
  }
  const ids = () => [...store.calls()].map(({ origin }) => origin.callId).sort()
  return { store, take, ids }
}

test('finished calls go first, the quietest before others; then live ones', () => {
  const { take, ids, store } = fill({ maxCalls: 3 })
  take(statusUpdate('live', 'ongoing'))
  take(statusUpdate('done 1', 'finished'))
  take(statusUpdate('done 2', 'finished'))
  take(statusUpdate('done 1', 'finished'))
  take(statusUpdate('live 2', 'ongoing'))
  expect(ids()).toEqual(['done 1', 'live', 'live 2'])
  take(statusUpdate('live 3', 'ongoing'))
  take(statusUpdate('live 4', 'ongoing'))
  expect(ids()).toEqual(['live 2', 'live 3', 'live 4'])
  expect(store.dropped).toBe(3)
})

test('a call that was dropped and is kept again does not count as dropped', () => {
  const { take, ids, store } = fill({ maxCalls: 2 })
  for (const id of ['one', 'two', 'three']) take(statusUpdate(id, 'finished'))
  expect(store.dropped).toBe(1)
  take(statusUpdate('one', 'finished'))
  expect(ids()).toEqual(['one', 'three'])
  expect(store.dropped).toBe(1)
})

test('bodies of the quietest live calls go before a live call does', () => {
  const { take, store, ids } = fill({ maxBytes: 30_000 })
  for (let index = 0; index < 30; index++) take(conversationUpdate('one', message('m1', `text ${index}`)))
  for (let index = 0; index < 10; index++) take(conversationUpdate('two', message('m1', `text ${index}`)))
  expect(ids()).toEqual(['one', 'two'])
  const [one, two] = [...store.calls()]
  expect(one).toMatchObject({ origin: { callId: 'one' }, taken: 30 })
  expect(one?.events.at(-1)?.number).toBe(30)
  expect(one?.events.length).toBeLessThan(30)
  expect(two?.events).toHaveLength(10)
  expect(one?.builder.call.messages).toHaveLength(1)
})

test('a delivery that still waits keeps no body in memory, nor a call that was dropped', async () => {
  const { take, store } = fill({ maxCalls: 1, maxEvents: 1 })
  const notes = [take(statusUpdate('one', 'queued')), take(statusUpdate('one', 'ongoing'))]
  const bodies = [...store.calls()].flatMap(({ events }) => events.map(({ body }) => new WeakRef(body)))
  const calls = [...store.calls()].map(call => new WeakRef(call))
  notes.push(take(statusUpdate('two', 'queued')))
  setFlagsFromString('--expose-gc')
  // What a WeakRef gave lives on to the end of the turn.
  await setImmediate()
  runInNewContext('gc')()
  expect([...bodies, ...calls].map(body => body.deref())).toEqual([undefined, undefined])
  for (const note of notes)
    note({ target: 1, state: 'sent', attempt: 1, again: false, milliseconds: 1, status: 503 })
  expect([...store.calls()].map(({ failedDeliveries }) => failedDeliveries)).toEqual([1])
})

test('a call keeps a limited number of bodies and says which are gone', () => {
  const { take, store } = fill({ maxEvents: 3 })
  for (let index = 0; index < 10; index++) take(statusUpdate('one', `s${index}`))
  const step = nextBatch(store, { version: undefined, selected: selection(1) })
  expect(step?.batch.detail).toMatchObject({
    firstEvent: 8,
    events: [{ number: 8 }, { number: 9 }, { number: 10 }],
  })
  expect(step?.batch.calls).toMatchObject([{ events: 10 }])
})

test('reports how much of a dropped call is missing when it appears again', () => {
  const { take, store } = fill({ maxCalls: 1 })
  take(conversationUpdate('one', message('m1', 'a'), message('m2', 'b')))
  take(statusUpdate('two', 'finished'))
  take(conversationUpdate('one', message('m1', 'a'), message('m2', 'b'), message('m3', 'c')))
  const [one] = [...store.calls()]
  expect(one).toMatchObject({ origin: { callId: 'one' }, missing: 2, isWhole: false })
})

test('more live calls than are kept do not replace each other at every event', () => {
  const { take, store, ids } = fill({ maxCalls: 2 })
  const live = ['one', 'two', 'three', 'four']
  for (const id of live) take(statusUpdate(id, 'ongoing'))
  for (const id of live) take(conversationUpdate(id, message('m1', 'a')))
  expect(ids()).toEqual(['four', 'three'])
  expect(store.dropped).toBe(2)
  expect([...store.calls()]).toMatchObject([
    { isWhole: true, taken: 2 },
    { isWhole: true, taken: 2 },
  ])
})

const word = fc.constantFrom('a', 'b', 'c')
const delivery = fc.oneof(
  fc.constantFrom<Delivery>({ state: 'waiting' }, { state: 'dropped' }),
  fc.constantFrom(200, 503).map(
    (status): Delivery => ({
      ...{ state: 'sent', attempt: 1, again: false, milliseconds: 5 },
      status,
    }),
  ),
)
const step = fc.record({
  call: word,
  status: fc.constantFrom(undefined, 'ongoing', 'finished'),
  messages: fc.array(fc.record({ id: word, text: fc.string({ maxLength: 300 }) }), { maxLength: 4 }),
  /** True if the page reads a batch after it. */
  read: fc.boolean(),
  select: fc.option(fc.nat({ max: 6 })),
  /** Number of events back whose delivery is noted then. */
  delivered: fc.option(
    fc.record({ ago: fc.nat({ max: 5 }), target: fc.integer({ min: 1, max: 2 }), delivery }),
  ),
})

test('stays within its limits, and a slow page ends with the state of the store', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.record({
        maxCalls: fc.integer({ min: 1, max: 3 }),
        maxBytes: fc.integer({ min: 3000, max: 40_000 }),
        maxEvents: fc.integer({ min: 1, max: 5 }),
      }),
      (steps, bounds) => {
        const { take, store } = fill(bounds)
        let cursor: Cursor = { version: undefined, selected: undefined }
        let calls: ReadonlyMap<number, CallSummary> = new Map()
        let detail: SelectedCall | undefined
        const read = () => {
          const next = nextBatch(store, cursor)
          if (next === undefined) return
          cursor = next.cursor
          calls = applyBatch(calls, next.batch)
          if (next.batch.detail !== undefined) detail = applyDetail(detail, next.batch.detail)
        }
        const notes: ReturnType<typeof take>[] = []
        for (const { call, status, messages, read: reads, select, delivered } of steps) {
          const said = messages.map(({ id, text }) => message(id, text))
          notes.unshift(
            take(status === undefined ? conversationUpdate(call, ...said) : statusUpdate(call, status)),
          )
          if (delivered !== null) notes[delivered.ago]?.({ ...delivered.delivery, target: delivered.target })
          expect(store.bytes).toBeLessThanOrEqual(bounds.maxBytes)
          expect([...store.calls()].length).toBeLessThanOrEqual(bounds.maxCalls)
          expect(store.bytes).toBe([...store.calls()].reduce((sum, { bytes }) => sum + bytes, 0))
          if (select !== null) {
            cursor = { version: cursor.version, selected: selection(select) }
            detail = undefined
          }
          if (reads) read()
        }
        read()
        const fresh = nextBatch(store, {
          version: undefined,
          selected: cursor.selected && selection(cursor.selected.key),
        })
        expect([...calls.values()].sort((one, other) => one.key - other.key)).toEqual(
          fresh?.batch.calls ?? [],
        )
        const whole: CallDetail | undefined = fresh?.batch.detail
        if (whole !== undefined) expect(detail).toEqual(applyDetail(undefined, whole))
      },
    ),
  )
})

test('shows the deliveries of an event, even of one that a page has', () => {
  const { take, store } = fill()
  const first = take(statusUpdate('one', 'ongoing'))
  take(statusUpdate('one', 'finished'))
  const opened = nextBatch(store, { version: undefined, selected: selection(1) })
  const sent = { state: 'sent', milliseconds: 12, target: 1 } as const
  first({ ...sent, attempt: 1, again: true, status: 503 })
  const failed = nextBatch(store, opened?.cursor ?? expect.fail())
  expect(failed?.batch.calls).toMatchObject([{ failedDeliveries: 1 }])
  expect(failed?.batch.detail).toMatchObject({
    events: [],
    deliveries: [{ number: 1, deliveries: [{ target: 1, status: 503 }] }],
  })
  first({ ...sent, attempt: 2, again: false, status: 200 })
  const shown = [opened, failed, nextBatch(store, failed?.cursor ?? expect.fail())].reduce<
    SelectedCall | undefined
  >((known, next) => applyDetail(known, next?.batch.detail ?? expect.fail()), undefined)
  expect(shown?.events.map(({ deliveries }) => deliveries)).toEqual([
    [{ ...sent, attempt: 2, again: false, status: 200 }],
    [],
  ])
  expect([...store.calls()][0]?.failedDeliveries).toBe(0)
})
