import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { monotonicMs } from '../../src/lib/clock.ts'
import { createDeferred } from '../../src/lib/queue.ts'
import { partitionOf } from '../../src/relay/subjects.ts'
import { startBrokerWithRelay } from './start-test-relay.ts'
import { conversation, startTestTail } from './start-test-tail.ts'

/** Starts a tail that stops reading at the first message of call a, while the other events wait in the process. */
async function startStuckTail() {
  const { broker, relay } = await startBrokerWithRelay()
  const stuck = createDeferred()
  let passedMs = 0
  const tail = await startTestTail([broker.url], {
    monotonicMs: () => monotonicMs() + passedMs,
    onEvent: event => (event.kind === 'message' && event.text === 'a 1' ? stuck.promise : undefined),
  })
  for (const count of [1, 2, 3]) await relay.send(conversation('a', count))
  await relay.send(conversation('b', 1))
  return {
    ...{ broker, relay, tail },
    readOn: () => stuck.resolve(),
    pass(milliseconds: number) {
      passedMs += milliseconds
    },
  }
}

/** Connects to the positions of the name. */
async function openPositions(url: string) {
  const connection = await connect({ servers: url })
  const positions = await new Kvm(jetstream(connection)).open('calls-positions')
  const keyOf = (call: string) => `ada.${partitionOf(call)}`
  const ownerOf = async (call: string) => (await positions.get(keyOf(call)))?.json<{ owner: string }>().owner
  return {
    ownerOf,
    /** Changes the owner of a partition behind the back of the tail, as another tail does after the lease has ended. */
    async take(call: string, owner = 'another') {
      const entry = await positions.get(keyOf(call))
      await positions.put(keyOf(call), JSON.stringify({ ...entry?.json<object>(), owner }))
    },
    /** Resolves when the tail has the partition again. */
    async untilClaimed(call: string) {
      for await (const entry of await positions.watch({ key: keyOf(call) }))
        if (entry.json<{ owner: string }>().owner !== 'another') return
    },
    close: () => connection.close(),
  }
}

const all = ['a 1', 'a 2', 'a 3', 'b 1']

describe('a tail whose lease is in doubt', { tags: 'nats-server' }, () => {
  test('prints the events in progress once the lease is renewed', async () => {
    const { tail, pass, readOn } = await startStuckTail()
    await tail.until(() => tail.seen.some(({ kind }) => kind === 'ready'))
    pass(4500)
    readOn()
    await tail.until(() => tail.texts().length === all.length)
    expect(tail.texts().sort()).toEqual(all)
  })

  test('prints the events in progress after it has lost their partition and has it again', async () => {
    const { broker, relay, tail, readOn } = await startStuckTail()
    const before = await openPositions(broker.url)
    for (const call of ['a', 'b']) await before.take(call)
    await before.close()
    await broker.kill()
    await broker.restart()
    const after = await openPositions(broker.url)
    for (const call of ['a', 'b']) await after.untilClaimed(call)
    await after.close()
    await relay.send(conversation('c', 1))
    readOn()
    await tail.until(() => new Set(tail.texts()).size > all.length)
    expect([...new Set(tail.texts())].sort()).toEqual([...all, 'c 1'])
  })

  test('reads a partition that belongs to it although its claim got no response', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    let passedMs = 0
    const ada = () =>
      startTestTail([broker.url], { isShared: true, monotonicMs: () => monotonicMs() + passedMs })
    const tails = [await ada(), await ada()]
    const holdsHalf = ({ seen }: (typeof tails)[0]) =>
      seen.findLast(event => event.kind === 'partitions')?.held === 16
    for (const tail of tails) await tail.until(() => tails.every(holdsHalf))
    const positions = await openPositions(broker.url)
    const calls = Array.from({ length: 64 }, (_, number) => `c${number}`)
    const [first = ''] = calls
    const owner = await positions.ownerOf(first)
    let other = first
    for (const call of calls) if ((await positions.ownerOf(call)) !== owner) other = call
    await positions.take(other, owner)
    await positions.close()
    // A tail that has its share looks at the owners again after a while.
    passedMs = 30_000
    const shown = () => new Set(tails.flatMap(({ texts }) => texts(other)))
    // The previous owner notices when it saves its position, a fraction of a second later.
    for (let count = 1; count <= 150; count++) {
      await relay.send(conversation(other, count))
      for (const tail of tails) await tail.until(() => shown().size === count)
    }
  })

  test('ends after Ctrl-C while the broker is away', async () => {
    const { broker, tail, pass, readOn } = await startStuckTail()
    await broker.kill()
    pass(4500)
    const finished = tail.finish()
    readOn()
    expect(await finished).toMatchObject({ kind: 'summary' })
  })
})
