import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { receiveWebhooks, validate } from 'callyard'
import { type Call, startSandbox } from 'callyard/sandbox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const project = new URL('../desk', import.meta.url).pathname
let sandbox: Awaited<ReturnType<typeof startSandbox>>
let receiver: Awaited<ReturnType<typeof receiveWebhooks>>

/** The workshop's own server, as this test needs it. */
const bookings: unknown[] = []
const tools = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  bookings.push(JSON.parse(body).message.toolCall.arguments)
  response.end(JSON.stringify({ booked: true }))
})

beforeAll(async () => {
  await new Promise<void>(resolve => tools.listen(0, '127.0.0.1', resolve))
  receiver = await receiveWebhooks()
  sandbox = await startSandbox({
    project,
    seed: 7,
    env: {
      TOOLS_URL: `http://127.0.0.1:${(tools.address() as AddressInfo).port}/`,
      WEBHOOK_URL: receiver.url,
    },
  })
})

afterAll(async () => {
  await sandbox.close()
  await receiver.close()
  tools.close()
})

// Records, calls, faults and the clock are as they were at the beginning; it takes less than a millisecond.
beforeEach(async () => {
  await sandbox.reset()
  receiver.clear()
})

test('the files pass', async () => {
  expect(await validate(project, { env: {} })).toEqual([])
})

test('the desk knows when it is open', async () => {
  const call = await sandbox.call({
    assistant: 'front-desk',
    caller: ['When are you open?', 'Thank you, goodbye.'],
    variables: { name: 'Ada' },
  })
  expect(String(call.transcript)).toMatchInlineSnapshot(`
    "assistant  Hello Ada, this is the AI front desk of Spoke and Chain. How can I help?
    user       When are you open?
    assistant  We are open Monday to Friday from nine to six, and on Saturday until one.
    user       Thank you, goodbye.
    assistant  Thank you for calling. Goodbye!"
  `)
  expect(call.endedBy).toBe('assistant')
})

test('an appointment is booked at the workshop', async () => {
  const call = await sandbox.call({
    assistant: 'front-desk',
    caller: ['Please book an appointment for 2026-03-14.', 'Goodbye'],
  })
  expect(call.toolCalls).toMatchObject([{ name: 'book_appointment', content: '{"booked":true}' }])
  expect(bookings).toEqual([{ day: '2026-03-14' }])
})

test('the last webhook is there when the call is over', async () => {
  const call: Call = await sandbox.call({ assistant: 'front-desk', caller: 'Goodbye' })
  const last = await receiver.next({ call: call.id, status: 'finished' })
  expect(last.body).toEqual(call.events.at(-1))
})

test('nothing breaks when webhooks get lost', async () => {
  sandbox.fault({ drop: 1, type: 'conversation-update' })
  const call = await sandbox.call({ assistant: 'front-desk', caller: 'Goodbye' })
  await receiver.next({ call: call.id, status: 'finished' })
  const lost = receiver.next({ call: call.id, type: 'conversation-update' }, { timeoutMs: 0 })
  await expect(lost).rejects.toMatchObject({ code: 'timeout' })
})

test('a caller who says nothing is asked, and the call ends by itself', async () => {
  sandbox.freeze()
  const call = sandbox.call({ assistant: 'front-desk', caller: ['/say-nothing 600', '/hangup'] })
  await sandbox.advance('15m')
  expect((await call).durationMs).toBeGreaterThan(20_000)
})
