import { expect, test } from 'vitest'
import {
  type EventSink,
  type EventSource,
  openTail,
  type RunningSource,
  type TailEvent,
} from '../../../src/events/receive/index.ts'
import { conversationUpdate, message, statusUpdate } from '../../helpers/events.ts'

type Taken = ReturnType<EventSink['accept']>

type TailOptions = Parameters<typeof openTail>[0]

/** A source without HTTP, such as a broker's consumer: what is not accepted stays in the queue. */
function queueSource(): EventSource & { deliver(...bodies: unknown[]): Taken[]; readonly closed: boolean } {
  let sink: EventSink | undefined
  let closed = false
  return {
    async start(given): Promise<RunningSource> {
      sink = given
      return {
        address: 'queue://calls',
        async close() {
          closed = true
        },
      }
    },
    deliver(...bodies) {
      return bodies.map(body => {
        if (sink === undefined) throw new Error('the source has not been started')
        const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
        const taken = sink.accept({ body: bytes, headers: { 'content-type': 'application/json' } })
        if (taken.kind === 'accepted') taken.show()
        if (taken.kind === 'malformed') sink.onRefused(taken.rejection)
        return taken
      })
    },
    get closed() {
      return closed
    },
  }
}

async function open(options: Partial<TailOptions> = {}) {
  const source = queueSource()
  const tail = await openTail({ ...options, source })
  const finish = async () => {
    await tail.close()
    const events: TailEvent[] = []
    for await (const event of tail.events) events.push(event)
    return events
  }
  return { source, tail, finish }
}

test('a tail shows, records and counts the events of any source', async () => {
  const recorded: string[] = []
  const recorder = { append: ({ body }: { body: Buffer }) => recorded.push(body.toString()) > 0 }
  const { source, tail, finish } = await open({ recorder })
  expect(tail.source.address).toBe('queue://calls')
  const bodies = [
    statusUpdate('c1', 'ongoing'),
    conversationUpdate('c1', message('m1', 'hello')),
    conversationUpdate('c1', message('m1', 'hello'), message('m2', 'bye')),
    statusUpdate('c1', 'finished'),
  ]
  expect(source.deliver(...bodies).map(({ kind }) => kind)).toEqual(bodies.map(() => 'accepted'))
  expect(recorded).toEqual(bodies.map(body => JSON.stringify(body)))
  const events = await finish()
  expect(events.map(({ kind }) => kind)).toEqual([
    'ready',
    'status',
    'message',
    'message',
    'status',
    'ended',
    'summary',
  ])
  expect(events[0]).toEqual({ kind: 'ready', url: 'queue://calls' })
  expect(events.at(-1)).toMatchObject({ calls: 1, finished: 1, events: 4, messages: 2, badRequests: 0 })
  expect(source.closed).toBe(true)
})

test('a delivery is recorded before it is accepted, and shown only afterwards', async () => {
  const order: string[] = []
  let sink: EventSink | undefined
  const source: EventSource = {
    async start(given) {
      sink = given
      return { address: 'queue://calls', close: async () => {} }
    },
  }
  const tail = await openTail({
    source,
    recorder: { append: () => order.push('recorded') > 0 },
    watcher: {
      observe() {
        order.push('shown')
        return () => {}
      },
    },
  })
  const taken = sink?.accept({
    body: Buffer.from(JSON.stringify(statusUpdate('c1', 'ongoing'))),
    headers: {},
  })
  order.push('accepted')
  if (taken?.kind === 'accepted') taken.show()
  expect(order).toEqual(['recorded', 'accepted', 'shown'])
  await tail.close()
})

test('malformed deliveries are rejected, reported once, and are no events', async () => {
  const { source, finish } = await open()
  const malformed = Buffer.from('{"message":')
  const rejected = { kind: 'malformed', rejection: { status: 400 } }
  expect(source.deliver(malformed, malformed)).toMatchObject([rejected, rejected])
  expect(await finish()).toMatchObject([
    { kind: 'ready' },
    { kind: 'refused', status: 400 },
    { kind: 'summary', events: 0, badRequests: 2 },
  ])
})

test('a tail whose reader is behind is busy, and records nothing', async () => {
  const recorded: unknown[] = []
  const { source, finish } = await open({
    maxWaiting: 1,
    recorder: { append: delivery => recorded.push(delivery) > 0 },
  })
  const taken = source.deliver(statusUpdate('c1', 'queued'), statusUpdate('c1', 'ongoing'))
  expect(taken.map(({ kind }) => kind)).toEqual(['accepted', 'busy'])
  expect(recorded).toHaveLength(1)
  expect(await finish()).toMatchObject([
    { kind: 'ready' },
    { kind: 'status' },
    { kind: 'summary', events: 1 },
  ])
})

test('the source is told that the tail is busy while events cannot be recorded', async () => {
  let isFull = true
  const { source, finish } = await open({ recorder: { append: () => !isFull } })
  const event = statusUpdate('c1', 'queued')
  const busy = { kind: 'busy', reason: 'the event could not be recorded' }
  expect(source.deliver(event, event)).toEqual([busy, busy])
  isFull = false
  expect(source.deliver(event)).toMatchObject([{ kind: 'accepted' }])
  expect((await finish()).filter(({ kind }) => kind === 'status')).toHaveLength(1)
})
