import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { createDeferred } from '../../src/lib/queue.ts'
import { createDeliverer } from '../../src/relay/deliver.ts'
import { createHeldPartitions } from '../../src/relay/held-partitions.ts'
import { createPartitionReaders } from '../../src/relay/partition-readers.ts'
import { addStream, startNatsServer } from '../helpers/nats-server.ts'
import { memoryBucket } from './memory-bucket.ts'

/** A server with the stream, and a way to add messages to it. */
async function startServer() {
  const { url } = await startNatsServer()
  await addStream(url, {})
  const connection = await connect({ servers: url })
  onTestFinished(() => connection.close())
  const jsm = await jetstreamManager(connection)
  const publish = (text: string) => jsm.jetstream().publish('calls.p00.-.a', text)
  const state = async () => {
    const { created, state } = await jsm.streams.info('calls')
    return { created, first: state.first_seq, last: state.last_seq }
  }
  return { connection, jsm, publish, state }
}

describe('a reader whose server lacks messages of the leader', { tags: 'nats-server' }, () => {
  test('is replaced when it still does at the next look, and the next one reads them', async () => {
    // Servers that do not form a cluster differ for as long as the test wants.
    const [leader, behind] = await Promise.all([startServer(), startServer()])
    for (const server of [leader, behind]) await server.publish('1')
    for (const text of ['2', '3']) await leader.publish(text)
    const held = createHeldPartitions({ name: 'ada', member: 'm1' })
    const position = { start: 1, next: 1, done: [] }
    await held.claim(memoryBucket(), 'p00', { position, readFrom: 1, stream: 'created', revision: 0 })
    const { signal } = new AbortController()
    const delivered: string[] = []
    let waiting = createDeferred()
    const deliver = createDeliverer({
      ...{ heldPartitions: held, clock: systemClock, signal, isValid: () => true, isSaved: () => true },
      sink: {
        accept: ({ body }, claim) => ({
          kind: 'accepted',
          show() {
            delivered.push(String(body))
            claim?.done()
            waiting.resolve()
            waiting = createDeferred()
          },
        }),
        remember() {},
        forget() {},
        onEvent() {},
        onRefused() {},
        onFailed() {},
      },
    })
    const failures: unknown[] = []
    const connection = {
      ...{ connection: behind.connection, jsm: leader.jsm, timeoutMs: 1000 },
      ...{ server: 'fake', version: '2.9.0', cluster: [], closed: behind.connection.closed() },
      close: () => behind.connection.close(),
    }
    const readers = createPartitionReaders({
      ...{ connection, stream: 'calls', heldPartitions: held, signal, deliver },
      run: work => void work().catch(error => failures.push(error)),
    })
    const look = async () => readers.look(await leader.state())
    await readers.adjust()
    while (delivered.length < 1) await waiting.promise
    for (let looks = 0; looks < 5; looks += 1) await look()
    expect(delivered).toEqual(['1'])
    connection.connection = leader.connection
    while (delivered.length < 3) await look()
    expect(delivered).toEqual(['1', '2', '3'])
    await readers.close()
    expect(failures).toEqual([])
  })
})
