import { expect, test } from 'vitest'
import type { WebhookSummary } from '../../../src/interface/control-api.ts'
import { createWebhookJournal } from '../../../src/sandbox/webhooks/webhook-journal.ts'
import { begin, startTestSandbox } from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

const head = (number: number, call = 'CC-1') => ({
  call,
  number,
  at: '2026-03-01T10:00:00.000Z',
  type: 'status-update',
  url: 'http://127.0.0.1:3000/hook',
})

test('shows for each webhook whether it waits, its faults, and its receiver’s response', () => {
  const told: WebhookSummary[] = []
  const journal = createWebhookJournal(read => told.push(read()))
  const webhook = journal.begin(head(1))
  webhook.struckBy('duplicate')
  webhook.responded('{"a":1}', { reason: 'connection refused' }, 3)
  webhook.responded('{"a":1}', { status: 200 }, 12)
  const known = { ...head(1), id: 'CC-1/1' }
  expect(told).toEqual([
    { ...known, bytes: 0, sent: 0 },
    { ...known, bytes: 0, sent: 0, faults: ['duplicate'] },
    { ...known, bytes: 7, sent: 1, faults: ['duplicate'], reason: 'connection refused', milliseconds: 3 },
    { ...known, bytes: 7, sent: 2, faults: ['duplicate'], status: 200, milliseconds: 12 },
  ])
  expect(journal.list()).toEqual(told.slice(-1))
  expect(journal.list({ id: 'CC-1/1' })).toEqual([{ ...told.at(-1), body: { a: 1 } }])
  expect(journal.list({ call: 'CC-2' })).toEqual([])
  journal.clear()
  webhook.responded('{}', { status: 500 }, 1)
  expect([journal.list(), told.length]).toEqual([[], 4])
})

test('keeps a thousand webhooks and eight megabytes of bodies', () => {
  const journal = createWebhookJournal()
  for (let number = 1; number <= 1500; number++)
    journal.begin(head(number)).responded('{}', { status: 200 }, 1)
  expect(journal.list()).toHaveLength(1000)
  expect(journal.list()[0]?.number).toBe(501)
  for (let number = 1; number <= 20; number++)
    journal.begin(head(number, 'CC-2')).responded(`"${'x'.repeat(1024 ** 2)}"`, { status: 200 }, 1)
  expect(journal.list().map(({ call }) => call)).toEqual(Array(7).fill('CC-2'))
})

test('the control API lists what was sent, with faults, and without the query of the address', async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox({ caller: 'live', webhookFaults: { duplicate: 1 } })
  const id = await begin(sandbox, {
    assistant: { welcomeMessage: 'Welcome.', assistantServer: { url: `${sink.url}?token=s3cret` } },
  })
  await expect.poll(() => sink.of(id).length).toBeGreaterThanOrEqual(6)
  const ask = async (path: string) => {
    const headers = { authorization: `Bearer ${sandbox.controlToken}` }
    return JSON.parse(await (await fetch(`${sandbox.baseUrl}/__sandbox/${path}`, { headers })).text())
  }
  const sent = { sent: 2, status: 200, faults: ['duplicate'], url: sink.url }
  await expect
    .poll(async () => (await ask(`webhooks?call=${id}`)).webhooks)
    .toMatchObject([
      { id: `${id}/1`, type: 'status-update', ...sent },
      { id: `${id}/2`, type: 'status-update', ...sent },
      { id: `${id}/3`, type: 'conversation-update', ...sent },
    ])
  const { webhooks } = await ask(`webhooks?id=${encodeURIComponent(`${id}/3`)}`)
  expect(webhooks[0].body.message.messages[0].text).toBe('Welcome.')
})
