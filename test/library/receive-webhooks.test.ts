import { expect, onTestFinished, test } from 'vitest'
import { CallyardError, receiveWebhooks } from '../../src/library/index.ts'
import { errorOf } from '../helpers/errors.ts'

async function receiver(options: Parameters<typeof receiveWebhooks>[0] = {}) {
  const opened = await receiveWebhooks(options)
  onTestFinished(opened.close)
  const send = async (type: unknown, call?: unknown, more: Record<string, unknown> = {}) => {
    const body = JSON.stringify({ message: { type, ...(call === undefined ? {} : { call }), ...more } })
    const { status } = await fetch(opened.url, { method: 'POST', body })
    return status
  }
  return { ...opened, send }
}

test('next takes the first matching event and leaves the others', async () => {
  const { send, next } = await receiver()
  await send('status-update', { id: 'c1', status: 'queued' })
  await send('conversation-update', { id: 'c1' }, { messages: [] })
  await send('status-update', { id: 'c2', status: 'finished' })
  expect(await next({ type: 'status-update', status: 'finished' })).toMatchObject({
    type: 'status-update',
    callId: 'c2',
    status: 'finished',
    body: { message: { call: { id: 'c2' } } },
    headers: { 'content-length': expect.any(String) },
  })
  expect(await next({ call: 'c1' })).toMatchObject({ status: 'queued' })
  expect(await next('conversation-update')).toMatchObject({ callId: 'c1' })
})

test('next waits for what is still to come, each reader for its own', async () => {
  const { send, next } = await receiver()
  const both = Promise.all([next(event => event.callId === 'c2'), next({ call: 'c1' })])
  await send('status-update', 'c1')
  await send('anything', 'c2')
  expect((await both).map(({ callId }) => callId)).toEqual(['c2', 'c1'])
})

test('a missing event is an error that lists the received ones', async () => {
  const { send, next } = await receiver()
  await send('status-update', { id: 'c1', status: 'queued' })
  const error = await errorOf(next({ status: 'finished' }, { timeoutMs: 1 }))
  expect(error).toMatchObject({ code: 'timeout' })
  expect(String(error)).toContain('status-update queued')
  expect(await next()).toMatchObject({ status: 'queued' })
})

test('a filter that throws ends only its own wait', async () => {
  const { send, next } = await receiver()
  const broken = next(({ body }) => (body as { message: { call: { id: string } } }).message.call.id === 'c1')
  const refused = expect(broken).rejects.toBeInstanceOf(TypeError)
  const other = next('anything')
  expect(await send('anything')).toBe(200)
  await refused
  expect(await other).toMatchObject({ type: 'anything' })
})

test('clear forgets what came', async () => {
  const { send, next, clear } = await receiver({ maxWaitingBytes: 100 })
  await send('status-update', 'c1', { text: 'x'.repeat(20) })
  clear()
  expect(await send('status-update', 'c2', { text: 'x'.repeat(20) })).toBe(200)
  expect(await next()).toMatchObject({ callId: 'c2' })
})

test('the iterator returns everything in order, and ends after close', async () => {
  const { send, close, [Symbol.asyncIterator]: iterate } = await receiver()
  for (const id of ['c1', 'c2', 'c3']) await send('status-update', id)
  const seen: unknown[] = []
  for await (const { callId } of { [Symbol.asyncIterator]: iterate }) {
    seen.push(callId)
    if (callId === 'c2') await close()
  }
  expect(seen).toEqual(['c1', 'c2', 'c3'])
})

test('the iterator waits for events, and gets none for a body that is not an event', async () => {
  const { url, send, close, [Symbol.asyncIterator]: iterate } = await receiver()
  const events = iterate()
  const first = events.next()
  expect((await fetch(url, { method: 'POST', body: 'no event' })).status).toBe(400)
  await send('status-update', 'c1')
  expect((await first).value).toMatchObject({ callId: 'c1' })
  const end = events.next()
  await close()
  expect(await end).toMatchObject({ done: true })
})

test('close ends a waiting reader; later ones get the buffered events, then the error', async () => {
  const { send, close, next } = await receiver({ path: '/hooks' })
  await send('status-update', 'c1')
  const waits = next({ call: 'c2' }).catch((caught: unknown) => caught)
  await close()
  expect(await waits).toMatchObject({ code: 'closed' })
  expect(await next()).toMatchObject({ callId: 'c1' })
  await expect(next()).rejects.toMatchObject({ code: 'closed' })
  await expect(send('status-update')).rejects.toThrow()
})

test('a test that reads nothing keeps no more than its bound', async () => {
  const { send, next } = await receiver({ maxWaitingBytes: 100, maxBodyBytes: 90 })
  expect(await send('status-update', 'c1', { text: 'x'.repeat(20) })).toBe(200)
  expect(await send('status-update', 'c2', { text: 'x'.repeat(20) })).toBe(503)
  expect(await send('status-update', 'c2', { text: 'x'.repeat(100) })).toBe(413)
  await next()
  expect(await send('status-update', 'c3', { text: 'x'.repeat(20) })).toBe(200)
})

const refused = [
  [{ prot: 80 }, 'prot', 'did you mean port?'],
  [{ port: 70_000 }, 'port', undefined],
  [{ path: 'hooks' }, 'path', undefined],
  [{ maxBodyBytes: 0 }, 'maxBodyBytes', undefined],
  [[], 'options', undefined],
] as const

test.for(refused)('rejects %j by its field', async ([options, field, hint]) => {
  const error = await errorOf(receiveWebhooks(options as never))
  expect(error).toBeInstanceOf(CallyardError)
  expect(error).toMatchObject({ field, ...(hint === undefined ? {} : { hint }) })
})

test('rejects an invalid filter and a port in use', async () => {
  const { next, url } = await receiver()
  await expect(next({ tpye: 'x' } as never)).rejects.toMatchObject({
    field: 'tpye',
    hint: 'did you mean type?',
  })
  await expect(next('')).rejects.toMatchObject({ field: 'type' })
  await expect(next('x', { timeoutMs: -1 })).rejects.toMatchObject({ field: 'timeoutMs' })
  await expect(receiveWebhooks({ port: Number(new URL(url).port) })).rejects.toMatchObject({
    code: 'port-in-use',
    hint: 'stop the other process, or choose another port (0 for a free one)',
  })
})
