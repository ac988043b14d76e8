import { expect, test } from 'vitest'
import { createConversationTracker } from '../../../src/events/conversation/index.ts'
import { createCallStore } from '../../../src/web/server/call-store.ts'
import { searchCalls } from '../../../src/web/server/search-calls.ts'
import { conversationUpdate, message, readEvent, statusUpdate } from '../../helpers/events.ts'
import { openTailWithPage } from './tail-with-page.ts'

test('finds calls by id, number, name and text', async () => {
  const { tailPage, post, ask } = await openTailWithPage()
  await post(statusUpdate('CC-1', 'ongoing', { userNumber: '+12025550111' }))
  await post({
    message: {
      ...conversationUpdate('CC-2', message('m', 'My BRAKE (rear) rubs.')).message,
      customer: { name: 'Ada' },
    },
  })
  const search = async (query: string) =>
    JSON.parse((await ask(`${tailPage.path}search?${new URLSearchParams({ q: query })}`)).body)
  expect(await search('cc-')).toEqual({ keys: [2, 1] })
  expect(await search('5550111')).toEqual({ keys: [1] })
  expect(await search('ada brake')).toEqual({ keys: [2] })
  expect(await search('(rear)')).toEqual({ keys: [2] })
  expect(await search('.*')).toEqual({ keys: [] })
  expect(await search('a'.repeat(10_000))).toEqual({ keys: [] })
})

test('pauses within a call, after a number of characters', async () => {
  const store = storeOf('x'.repeat(12_000_000))
  const one = await searchCounted(store, 'brake')
  expect(one).toMatchObject({ found: [] })
  expect(one.pauses).toBeGreaterThanOrEqual(10)
  // Each word is another look at them.
  const four = await searchCounted(store, 'brake oil gear lamp')
  expect(four.pauses).toBeGreaterThanOrEqual(3 * one.pauses)
})

test('stops in the middle of a call when the request is closed', async () => {
  const store = storeOf('x'.repeat(12_000_000))
  expect(await searchCounted(store, 'brake', 2)).toEqual({ found: [], pauses: 2 })
})

test('finds a word anywhere in a long text', async () => {
  for (let before = 65_536 - 12; before <= 65_536 + 2; before++) {
    const store = storeOf(`${'x'.repeat(before)}front brake${'x'.repeat(70_000)}`)
    expect(await searchCounted(store, 'FRONT brake')).toMatchObject({ found: [1] })
  }
})

test('uses the first eight words of a query', async () => {
  const store = storeOf('a b c d e f g h')
  expect(await searchCounted(store, 'a b c d e f g h missing')).toMatchObject({ found: [1] })
  expect(await searchCounted(store, 'a b c d e f g missing')).toMatchObject({ found: [] })
})

function storeOf(said: string) {
  const event = conversationUpdate('CC-1', message('m1', said))
  const store = createCallStore()
  store.add(createConversationTracker().apply(readEvent(event)), { body: Buffer.from('{}'), headers: {} }, 0)
  return store
}

async function searchCounted(store: ReturnType<typeof storeOf>, query: string, most = Infinity) {
  const hangUp = new AbortController()
  let pauses = 0
  const sleep = async () => {
    if (++pauses === most) hangUp.abort()
  }
  const found = await searchCalls(store, query, { clock: { sleep }, signal: hangUp.signal })
  return { found, pauses }
}
