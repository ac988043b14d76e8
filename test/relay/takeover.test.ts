import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { startNatsServer } from '../helpers/nats-server.ts'
import { reservePort } from '../helpers/ports.ts'
import { startTestRelay } from './start-test-relay.ts'
import { conversation, startTestTail } from './start-test-tail.ts'

describe('a tail that continues for another one', { tags: 'nats-server' }, () => {
  test('reads what was printed of the calls in progress without a request for each call', async () => {
    const monitor = await reservePort()
    const broker = await startNatsServer(`http: "127.0.0.1:${monitor}"\njetstream { store_dir: "STORE" }`)
    const requests = async () => {
      const response = await fetch(`http://127.0.0.1:${monitor}/varz`)
      return z.object({ in_msgs: z.int() }).parse(await response.json()).in_msgs
    }
    const relay = await startTestRelay([broker.url])
    await relay.event('connected')
    const calls = Array.from({ length: 300 }, (_, number) => `c${number}`)
    const sendAll = async (count: number) => {
      await Promise.all(calls.map(call => relay.send(conversation(call, count))))
    }
    const first = await startTestTail([broker.url])
    for (const count of [1, 2, 3, 4]) await sendAll(count)
    await first.until(() => first.texts().length === 4 * calls.length)
    await first.finish()
    await sendAll(5)
    await relay.relay.idle()
    const before = await requests()
    const second = await startTestTail([broker.url])
    await second.until(() => second.texts().length >= calls.length)
    await second.finish()
    expect(second.texts().sort()).toEqual(calls.map(call => `${call} 5`).sort())
    expect((await requests()) - before).toBeLessThan(2 * calls.length)
  })
})
