import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { clusterConfigs } from '../helpers/nats-process.ts'
import { startNatsServer } from '../helpers/nats-server.ts'
import { startTestRelay } from './start-test-relay.ts'
import { conversation, startTestTail } from './start-test-tail.ts'

/** Starts a cluster of three, of which one can be restarted with a store that is too small for the stream, as with a full disk. */
async function startCluster() {
  const folder = await temporaryFolder()
  const file = join(folder, 'jetstream.conf')
  const limit = (bytes: string) =>
    writeFile(file, `jetstream { store_dir: "${join(folder, 'store')}", max_file_store: ${bytes} }\n`)
  await limit('1GB')
  const [first = '', second = '', third = ''] = await clusterConfigs()
  const small = third.replace(/jetstream .*/, `include "../${basename(folder)}/jetstream.conf"`)
  const servers = await Promise.all([first, second, small].map(config => startNatsServer(config)))
  return { servers, urls: servers.map(({ url }) => url), shrink: () => limit('1MB') }
}

/** Returns the number of consumers of the stream that were created since a time. */
async function countConsumers(servers: string[], since: number): Promise<number> {
  const connection = await connect({ servers })
  onTestFinished(() => connection.close())
  const jsm = await jetstreamManager(connection, { timeout: 10_000 })
  for (;;) {
    try {
      const created: number[] = []
      for await (const consumer of jsm.consumers.list('calls')) created.push(Date.parse(consumer.created))
      return created.filter(at => at >= since).length
    } catch (error) {
      // The server without the stream has responded.
      const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound
      if (!isMissing) throw error
    }
  }
}

describe('a cluster of which one server cannot store the stream', {
  tags: 'nats-server',
}, () => {
  test('tails that share a name continue after all servers were killed and restarted', async () => {
    const { servers, urls, shrink } = await startCluster()
    const relay = await startTestRelay(urls, { broker: { timeoutMs: 10_000 } })
    await relay.event('connected')
    const tails = await Promise.all(
      [1, 2].map(() => startTestTail(urls, { isShared: true, timeoutMs: 10_000 })),
    )
    const calls = Array.from({ length: 24 }, (_, number) => `c${number}`)
    const shown = () => new Set(tails.flatMap(({ texts }) => texts())).size
    const show = async (count: number) => {
      await Promise.all(calls.map(call => relay.send(conversation(call, count))))
      await Promise.all(tails.map(tail => tail.until(() => shown() === count * calls.length)))
    }
    await show(1)
    await shrink()
    await Promise.all(servers.map(server => server.kill()))
    const killedAt = Date.now()
    await Promise.all(servers.map(server => server.restart()))
    await show(2)
    await show(3)
    const all = tails.flatMap(({ texts }) => texts())
    expect(all.sort()).toEqual(calls.flatMap(call => [1, 2, 3].map(count => `${call} ${count}`)).sort())
    // One for each partition, and some that failed attempts did not remove. Servers keep those from before for a minute.
    expect(await countConsumers(urls, killedAt)).toBeLessThan(48)
  })
})
