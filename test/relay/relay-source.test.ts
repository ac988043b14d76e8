import { describe, expect, test } from 'vitest'
import { skipsNats, startNatsServer } from '../helpers/nats-server.ts'
import { startTestRelay } from './start-test-relay.ts'
import { conversation, startTestTail } from './start-test-tail.ts'

/** Texts of a conversation, from the first to the last number. */
function texts(call: string, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${call} ${first + index}`)
}

describe.skipIf(skipsNats)('a tail of a relay', { timeout: 30_000 }, () => {
  test('shows each message once, and continues where the name was, in the middle of a call', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url])
    await relay.event('connected')
    const first = await startTestTail([broker.url])
    await relay.send(conversation('a', 2))
    await relay.send(conversation('a', 3))
    await first.until(() => first.texts().length === 3)
    expect(await first.finish()).toMatchObject({ kind: 'summary', calls: 1, messages: 3 })
    for (const count of [4, 5]) await relay.send(conversation('a', count))
    await relay.send(conversation('b', 1))
    const second = await startTestTail([broker.url])
    await second.until(() => second.texts().length === 3)
    expect(first.texts()).toEqual(texts('a', 1, 3))
    expect(second.texts('a')).toEqual(texts('a', 4, 5))
    expect(second.texts('b')).toEqual(texts('b', 1, 1))
    expect(second.seen.map(({ kind }) => kind)).not.toContain('gap')
  })

  test('every name gets every event, from its own start', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url])
    await relay.event('connected')
    const ada = await startTestTail([broker.url])
    for (const call of ['a', 'b', 'c']) await relay.send(conversation(call, 1))
    await ada.until(() => ada.texts().length === 3)
    const grace = await startTestTail([broker.url], { name: 'grace', start: { kind: 'since', at: 0 } })
    await grace.until(() => grace.texts().length === 3)
    const alan = await startTestTail([broker.url], { name: 'alan' })
    await relay.send(conversation('d', 1))
    for (const each of [ada, grace]) await each.until(() => each.texts().length === 4)
    await alan.until(() => alan.texts().length === 1)
    expect(ada.texts()).toEqual(['a 1', 'b 1', 'c 1', 'd 1'])
    expect(grace.texts()).toEqual(ada.texts())
    expect(alan.texts()).toEqual(['d 1'])
  })
})
