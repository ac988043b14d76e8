import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../../src/sandbox/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { beginCall, openTestWorld, startTestSandbox } from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

const mb = 1024 * 1024
const at = '2026-03-01T10:00:00.000Z'

describe('the list of requests', () => {
  const head = (id: number, path = '/x') => ({ at, requestId: `r${id}`, method: 'POST', path, headers: {} })

  function record(
    { requests }: World,
    id: number,
    { path = '/x', body = '{}', answer = '{}', status = 200 } = {},
  ) {
    const open = requests.begin(head(id, path))
    open.tookBody(body)
    open.answered(status, answer)
  }

  const ids = ({ requests }: World) => requests.list().map(({ requestId }) => requestId)

  test('keeps the latest 1,000', async () => {
    const world = await openTestWorld()
    for (let id = 0; id < 10_000; id += 1) record(world, id)
    expect(ids(world)).toEqual(Array.from({ length: 1000 }, (_, index) => `r${9000 + index}`))
    world.requests.clear()
    expect(ids(world)).toEqual([])
  })

  test('keeps 8 MB of bodies and responses: older ones are dropped, and a larger one is left out', async () => {
    const world = await openTestWorld()
    const large = JSON.stringify('x'.repeat(3 * mb))
    for (let id = 0; id < 3; id += 1) record(world, id, { body: large })
    expect(ids(world)).toEqual(['r1', 'r2'])
    record(world, 3, { body: JSON.stringify('x'.repeat(9 * mb)), answer: '"ok"' })
    expect(ids(world)).toEqual(['r1', 'r2', 'r3'])
    const [request] = world.requests.list({ id: 'r3' })
    expect(request).toMatchObject({ cut: true, answer: 'ok' })
    expect(request).not.toHaveProperty('body')
  })

  test('is bounded for any sizes, and what is forgotten counts no more', async () => {
    const world = await openTestWorld()
    const sizes = fc.array(fc.integer({ min: 0, max: 9 * mb }), { maxLength: 12 })
    fc.assert(
      fc.property(sizes, bodies => {
        world.requests.clear()
        for (const [id, size] of bodies.entries()) record(world, id, { body: `"${'x'.repeat(size)}"` })
        const kept = world.requests.list()
        const bytes = kept.reduce((sum, { body }) => sum + String(body ?? '').length, 0)
        expect(bytes).toBeLessThanOrEqual(8 * mb)
        expect(kept.at(-1)?.requestId).toBe(bodies.length === 0 ? undefined : `r${bodies.length - 1}`)
      }),
      { numRuns: runs(20) },
    )
  })

  test('has a request when it arrives, and ignores the response to one that was forgotten', async () => {
    const { requests } = await openTestWorld()
    const open = requests.begin(head(1))
    open.struckBy('hang')
    expect(requests.list()).toEqual([{ ...head(1), fault: 'hang' }])
    requests.clear()
    open.answered(200, '{}')
    expect(requests.list()).toEqual([])
  })

  test('redacts secrets in bodies and responses', async () => {
    const world = await openTestWorld()
    const headers = { Authorization: 'Bearer s3cret', 'X-Api-Key': 's3cret' }
    const server = { url: 'http://127.0.0.1', headers }
    const body = JSON.stringify({ server })
    record(world, 1, { body, answer: JSON.stringify({ server, password: 's3cret' }) })
    const [request] = world.requests.list()
    expect(JSON.stringify(request)).not.toContain('s3cret')
    expect(request).toMatchObject({
      body: { server: { url: server.url, headers: { Authorization: '****' } } },
      answer: { password: '****' },
    })
  })

  test('knows the call that a request placed or refers to', async () => {
    const world = await openTestWorld()
    const calls = '/calls/v1/conversations'
    record(world, 1, { path: calls, answer: '{"sid":"CC-1"}' })
    record(world, 2, { path: `${calls}/connect`, answer: '{"id":"CC-1"}' })
    record(world, 3, { path: `${calls}/CC-1/control?x=1` })
    record(world, 4, { path: calls, answer: '{"sid":"CC-2"}' })
    record(world, 5, { path: '/assistants/v1/tools', answer: '{"id":"CC-1"}' })
    record(world, 6, { path: calls, answer: '{"sid":"CC-1"}', status: 422 })
    expect(world.requests.list({ call: 'CC-1' }).map(({ requestId }) => requestId)).toEqual([
      'r1',
      'r2',
      'r3',
    ])
  })
})

describe('the list of webhooks', () => {
  const head = (number: number, call = 'CC-1') => ({
    ...{ call, number, at },
    type: 'status-update',
    url: 'http://127.0.0.1:3000/hook',
  })

  test('tells whether each waits, its faults, and the response to it', async () => {
    const world = await openTestWorld()
    const told: unknown[] = []
    world.subscribe(event => event.kind === 'webhook' && told.push(event.webhook))
    const webhook = world.webhooks.begin(head(1))
    webhook.struckBy('duplicate')
    webhook.responded('{"a":1}', { reason: 'connection refused' }, 3)
    webhook.responded('{"a":1}', { status: 200 }, 12)
    const known = { ...head(1), id: 'CC-1/1' }
    const faults = ['duplicate']
    expect(told).toEqual([
      { ...known, bytes: 0, sent: 0 },
      { ...known, bytes: 0, sent: 0, faults },
      { ...known, bytes: 7, sent: 1, faults, reason: 'connection refused', milliseconds: 3 },
      { ...known, bytes: 7, sent: 2, faults, status: 200, milliseconds: 12 },
    ])
    expect(world.webhooks.list()).toEqual(told.slice(-1))
    expect(world.webhooks.list({ id: 'CC-1/1' })).toEqual([{ ...Object(told.at(-1)), body: { a: 1 } }])
    expect(world.webhooks.list({ call: 'CC-2' })).toEqual([])
    world.webhooks.clear()
    webhook.responded('{}', { status: 500 }, 1)
    expect([world.webhooks.list(), told.length]).toEqual([[], 4])
  })

  test('keeps a thousand, and eight megabytes of bodies', async () => {
    const { webhooks } = await openTestWorld()
    for (let number = 1; number <= 1500; number++)
      webhooks.begin(head(number)).responded('{}', { status: 200 }, 1)
    expect(webhooks.list()).toHaveLength(1000)
    expect(webhooks.list()[0]?.number).toBe(501)
    for (let number = 1; number <= 20; number++)
      webhooks.begin(head(number, 'CC-2')).responded(`"${'x'.repeat(mb)}"`, { status: 200 }, 1)
    expect(webhooks.list().map(({ call }) => call)).toEqual(Array(7).fill('CC-2'))
  })

  test('is in the control API, without the query of the address', async () => {
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ caller: 'live', webhookFaults: { duplicate: 1 } })
    const id = await beginCall(sandbox, {
      assistant: { welcomeMessage: 'Welcome.', assistantServer: { url: `${sink.url}?token=s3cret` } },
    })
    const listed = async (query: string) => (await sandbox.control('GET', `webhooks?${query}`)).body.webhooks
    const sent = { sent: 2, status: 200, faults: ['duplicate'], url: sink.url }
    await expect
      .poll(() => listed(`call=${id}`))
      .toMatchObject([
        { id: `${id}/1`, type: 'status-update', ...sent },
        { id: `${id}/2`, type: 'status-update', ...sent },
        { id: `${id}/3`, type: 'conversation-update', ...sent },
      ])
    const [webhook] = Object(await listed(`id=${encodeURIComponent(`${id}/3`)}`))
    expect(webhook.body.message.messages[0].text).toBe('Welcome.')
  })
})
