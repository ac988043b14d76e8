import { describe, expect, test } from 'vitest'
import { startBrokerWithRelay } from './start-test-relay.ts'
import { conversation, startTestTail } from './start-test-tail.ts'

const calls = Array.from({ length: 60 }, (_, number) => `c${number}`)

type TestTail = Awaited<ReturnType<typeof startTestTail>>

/** Partitions that a tail reads, as it reported last. */
function heldBy({ seen }: TestTail): number {
  const [last] = seen.flatMap(event => (event.kind === 'partitions' ? [event.held] : [])).slice(-1)
  return last ?? 0
}

describe('tails that share a name', { tags: 'nats-server' }, () => {
  test('divide the partitions, and each message is shown once when one joins and one leaves', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const ada = () => startTestTail([broker.url], { isShared: true })
    const first = await ada()
    await first.until(() => heldBy(first) === 32)
    for (const call of calls) await relay.send(conversation(call, 1))
    const second = await ada()
    await second.until(() => heldBy(second) === 16)
    await first.until(() => heldBy(first) === 16)
    for (const call of calls) await relay.send(conversation(call, 2))
    await first.finish()
    for (const call of calls) await relay.send(conversation(call, 3))
    await second.until(() => heldBy(second) === 32)
    await second.until(() => first.texts().length + second.texts().length >= 3 * calls.length)
    for (const call of calls) {
      expect([...first.texts(call), ...second.texts(call)]).toEqual([`${call} 1`, `${call} 2`, `${call} 3`])
    }
    expect(second.texts().length).toBeGreaterThan(calls.length)
  })
})
