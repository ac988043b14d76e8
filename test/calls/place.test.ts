import { expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../src/api/index.ts'
import { connectRequest, placeCall, startRequest } from '../../src/calls/index.ts'
import { realClock } from '../helpers/real-clock.ts'
import { startStubApi } from '../helpers/stub-api.ts'

async function service() {
  const stub = await startStubApi()
  const api = createApi({
    connect: async () => ({ baseUrl: stub.baseUrl, apiKey: 'key' }),
    timeoutMs: 10_000,
    clock: realClock,
    signal: new AbortController().signal,
    env: {},
  })
  onTestFinished(async () => {
    await api.close()
    await stub.close()
  })
  return { stub, api }
}

const start = startRequest({ from: '+12025550100', to: '+12025550123' })
const connect = connectRequest({
  phoneNumberId: 'p1',
  to: '+12025550123',
  customerName: 'Ada',
  direction: 'outbound',
})

test.each([
  [start, { sid: 's1' }, { id: 's1', status: 'placed' }],
  [connect, { id: 'c1', status: 'queued' }, { id: 'c1', status: 'queued' }],
  [connect, { id: 'c1' }, { id: 'c1', status: 'placed' }],
])('replaces $path and returns the id and status of the response %j', async (request, json, placed) => {
  const { stub, api } = await service()
  stub.answer('POST', request.path, { json })
  expect(await placeCall(api, request, { isFollowed: false })).toEqual({ ...placed, response: json })
  expect(stub.requests).toMatchObject([{ method: 'POST', path: request.path, body: request.body }])
})

test('only a followed call may have no id', async () => {
  const { stub, api } = await service()
  for (const _ of [1, 2]) stub.answer('POST', start.path, { json: { ok: true } })
  await expect(placeCall(api, start, { isFollowed: false })).rejects.toMatchObject({
    details: { outcome: 'done' },
  })
  expect(await placeCall(api, start, { isFollowed: true })).toMatchObject({ id: undefined, status: 'placed' })
})

test('a response that says nothing is not asked for again', async () => {
  const { stub, api } = await service()
  stub.answer('POST', start.path, { status: 500 })
  await expect(placeCall(api, start, { isFollowed: false })).rejects.toMatchObject({
    details: { outcome: 'unknown' },
  })
  expect(stub.requests).toHaveLength(1)
})
