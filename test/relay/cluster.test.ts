import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { loadStreamPreview } from '../../src/relay/index.ts'
import { everyCase } from '../helpers/every-case.ts'
import { addStream, type NatsServer, readStream, startNatsCluster } from '../helpers/nats-server.ts'
import { callEvent, startTestRelay } from './start-test-relay.ts'
import { conversation, startTestTail } from './start-test-tail.ts'

type Trouble = (servers: readonly NatsServer[]) => Promise<void>

const killOne =
  (index: number): Trouble =>
  async servers => {
    await servers[index]?.kill()
    await servers[index]?.restart()
  }

const killAll: Trouble = async servers => {
  await Promise.all(servers.map(server => server.kill()))
  await Promise.all(servers.map(server => server.restart()))
}

const troubles: readonly [string, Trouble][] = [
  ...(everyCase ? [0, 1, 2].map((index): [string, Trouble] => [`broker ${index} is`, killOne(index)]) : []),
  ['all three brokers are', killAll],
  ...(everyCase
    ? [
        [
          'all are, twice,',
          (async servers => {
            await killAll(servers)
            await killAll(servers)
          }) satisfies Trouble,
        ] as [string, Trouble],
      ]
    : []),
]

describe('in a cluster of three', { tags: 'nats-server' }, () => {
  test('--update raises the replicas of a stream and its buckets that were made with fewer', async () => {
    const servers = await startNatsCluster()
    const urls = servers.map(({ url }) => url)
    const single = { num_replicas: 1 }
    const limits = { max_bytes: 64 * 1024 ** 2, max_age: 3_600_000 * 1e6, duplicate_window: 900_000 * 1e6 }
    await addStream(urls, { ...single, ...limits })
    for (const bucket of ['positions', 'leases'])
      await addStream(urls, { ...single, name: `KV_calls-${bucket}`, subjects: [`$KV.calls-${bucket}.>`] })
    const changes = [{ field: 'num_replicas', from: '1', to: '3' }]
    const open = async (mode: 'use' | 'update') => {
      const { kind: _, stream: __, ...found } = await (await startTestRelay(urls, { mode })).event('stream')
      return found
    }
    const { previewStream } = await loadStreamPreview()
    const preview = { stream: 'calls', keepMs: 3_600_000, maxBytes: 64 * 1024 ** 2, timeoutMs: 10_000 }
    expect(await open('use')).toEqual({ action: 'none', changes, replicas: 1 })
    expect(await previewStream({ ...preview, servers: urls })).toMatchObject({
      ...{ action: 'update', changes, replicas: 1 },
    })
    expect(await open('update')).toEqual({ action: 'update', changes, replicas: 3 })
    expect(await open('use')).toEqual({ action: 'none', changes: [], replicas: 3 })
    const connection = await connect({ servers: urls })
    const jsm = await jetstreamManager(connection)
    for (const bucket of ['positions', 'leases'])
      expect((await jsm.streams.info(`KV_calls-${bucket}`)).config.num_replicas).toBe(3)
    await connection.close()
  })

  test.each(troubles)(
    'each event is in the stream once, in order, after %s killed and restarted',
    async (_, trouble) => {
      const servers = await startNatsCluster()
      const urls = servers.map(({ url }) => url)
      const relay = await startTestRelay(urls, { broker: { timeoutMs: 10_000 } })
      expect(await relay.event('stream')).toMatchObject({ action: 'create', replicas: 3 })
      const count = 120
      const calls = 7
      const send = async (from: number, to: number) => {
        for (let number = from; number < to; number++)
          expect(await relay.send(callEvent(`c${number % calls}`, number))).toBe(200)
      }
      await send(0, count / 3)
      const troubled = trouble(servers)
      await send(count / 3, (2 * count) / 3)
      await troubled
      await send((2 * count) / 3, count)
      expect(await relay.finish(60_000)).toMatchObject({ received: count, unpublished: 0 })
      const numbers = new Map<string, number[]>()
      for (const { body } of await readStream(urls, 'calls')) {
        const { call, number } = JSON.parse(body).message
        numbers.set(call.id, [...(numbers.get(call.id) ?? []), number])
      }
      for (let call = 0; call < calls; call++) {
        const sent = Array.from({ length: count }, (_, number) => number).filter(
          number => number % calls === call,
        )
        expect(numbers.get(`c${call}`)).toEqual(sent)
      }
    },
  )

  // A tail that gets no processor time loses its leases, and another one shows a message again: this needs a machine of its own.
  test.runIf(everyCase).each([0, 1, 2])(
    'two tails that share a name show each message once, in order, while broker %i is away',
    async index => {
      const servers = await startNatsCluster()
      const urls = servers.map(({ url }) => url)
      const relay = await startTestRelay(urls, { broker: { timeoutMs: 10_000 } })
      await relay.event('connected')
      const tails = await Promise.all(
        [1, 2].map(() => startTestTail(urls, { isShared: true, timeoutMs: 10_000 })),
      )
      const shown = () => tails.flatMap(({ texts }) => texts())
      const isShown = (count: number) =>
        Promise.all(tails.map(tail => tail.until(() => shown().length >= 12 * count)))
      const send = async (count: number) => {
        for (let call = 0; call < 12; call++) await relay.send(conversation(`c${call}`, count))
      }
      await send(1)
      await isShown(1)
      await servers[index]?.kill()
      for (const count of [2, 3, 4]) await send(count)
      await isShown(4)
      await servers[index]?.restart()
      await send(5)
      await isShown(5)
      for (let call = 0; call < 12; call++) {
        const texts = tails.flatMap(tail => tail.texts(`c${call}`))
        expect(texts).toEqual([1, 2, 3, 4, 5].map(count => `c${call} ${count}`))
      }
    },
  )
})
