import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../src/files/formats/control-api.ts'
import { httpFaultNames, webhookFaultNames } from '../../../src/files/formats/fault-names.ts'
import { runs } from '../../helpers/every-case.ts'
import { callTo, openTestWorld, paths, startTestSandbox, tool } from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

const webhook = { callId: 'CC-1', index: 0, type: 'status-update', scope: undefined }
const request = { path: paths.tools, scope: undefined, ordinal: 0 }

/** Faults of a world with this rule. */
async function openFaults(rule: FaultRule) {
  const { faults } = await openTestWorld()
  faults.add(rule)
  return faults
}

describe('a rule', () => {
  test.each<[FaultRule, { readonly scope?: string }, boolean]>([
    [{ drop: 1 }, {}, true],
    [{ drop: 0 }, {}, false],
    [{ delay: 1 }, {}, false],
    [{ drop: 1, call: 'CC-1' }, {}, true],
    [{ drop: 1, call: 'CC-2' }, {}, false],
    [{ drop: 1, type: 'conversation-update' }, {}, false],
    [{ drop: 1, type: 'status-update', call: 'CC-1' }, {}, true],
    [{ drop: 1, scope: 'a' }, {}, false],
    [{ drop: 1, scope: 'a' }, { scope: 'a' }, true],
    [{ drop: 1 }, { scope: 'a' }, true],
  ])('%j strikes the webhook %j: %j', async (rule, about, strikes) => {
    expect((await openFaults(rule)).strikesWebhook('drop', { ...webhook, ...about })).toBe(strikes)
  })

  test.each<[FaultRule, { readonly path?: string; readonly scope?: string }, string | undefined]>([
    [{ 429: 1 }, {}, '429'],
    [{ 429: 1, 500: 1, hang: 1, reset: 1 }, {}, '429'],
    [{ hang: 1, reset: 1 }, {}, 'hang'],
    [{ 500: 1, path: '/assistants' }, {}, '500'],
    [{ 500: 1, path: '/assistants/v1/tools/' }, {}, undefined],
    [{ 500: 1, path: '/assistants/v1/tools/' }, { path: `${paths.tools}/t1` }, '500'],
    [{ 500: 1, path: '/assistants/v1/tool' }, {}, undefined],
    [{ 500: 1, scope: 'a' }, {}, undefined],
    [{ 500: 1, scope: 'a' }, { scope: 'a' }, '500'],
  ])('%j and the request %j: %j', async (rule, about, fault) => {
    expect((await openFaults(rule)).ofRequest({ ...request, ...about })).toBe(fault)
  })

  test('strikes as often as `times` says, and is gone then; a reset restores the initial ones', async () => {
    const world = await openTestWorld({ webhookFaults: { delay: 1 } })
    let changes = 0
    world.subscribe(({ kind }) => {
      if (kind === 'faults') changes += 1
    })
    const { faults } = world
    const initial = faults.list()
    const { id } = faults.add({ drop: 1, times: 2 })
    expect(faults.strikesWebhook('drop', webhook)).toBe(true)
    expect(faults.list()).toEqual([...initial, { id, rule: { drop: 1, times: 2 }, struck: 1 }])
    expect(faults.strikesWebhook('drop', webhook)).toBe(true)
    expect(faults.strikesWebhook('drop', webhook)).toBe(false)
    expect([faults.list(), faults.remove(id)]).toEqual([initial, false])
    expect(faults.remove(faults.add({ drop: 1 }).id)).toBe(true)
    expect(faults.strikesWebhook('delay', webhook)).toBe(true)
    faults.clear()
    expect(faults.strikesWebhook('delay', webhook)).toBe(false)
    expect([faults.list(), changes]).toEqual([[], 6])
    faults.reset()
    expect(faults.list()).toEqual(initial)
    expect(faults.add({ drop: 1 }).id).toBe('fault-2')
  })
})

test('a rule from a flag and one added at run time cause the same faults', async () => {
  const probability = fc.constantFrom(0, 0.3, 0.7, 1)
  const anyRule = fc.record(
    Object.fromEntries([...webhookFaultNames, ...httpFaultNames].map(name => [name, probability])),
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(anyRule, fc.nat(), async (rule, seed) => {
      fc.pre(Object.keys(rule).length > 0)
      const { faults: given } = await openTestWorld({ webhookFaults: rule, seed })
      const { faults: added } = await openTestWorld({ seed })
      added.add(rule)
      for (let index = 0; index < 10; index += 1) {
        for (const name of webhookFaultNames)
          expect(given.strikesWebhook(name, { ...webhook, index })).toBe(
            added.strikesWebhook(name, { ...webhook, index }),
          )
        expect(given.ofRequest({ ...request, ordinal: index })).toBe(
          added.ofRequest({ ...request, ordinal: index }),
        )
      }
      expect(given.list()).toEqual(added.list())
    }),
    { numRuns: runs(30) },
  )
})

describe('in a sandbox', () => {
  test('a fault of one call or scope does not affect other webhooks', async () => {
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ caller: 'live' })
    const { faults } = sandbox.first
    const place = async (headers: Record<string, string> = {}) =>
      String((await sandbox.send('POST', paths.calls, callTo(sink.url), headers)).body.sid)
    faults.add({ drop: 1, scope: 'lossy' })
    faults.add({ duplicate: 1, type: 'status-update', times: 1 })
    const lossy = await place({ 'x-sandbox-scope': 'lossy' })
    const one = await place()
    const two = await place({ 'x-sandbox-scope': 'other' })
    await sandbox.idle()
    expect(sink.of(lossy)).toEqual([])
    const statuses = (id: string) =>
      sink.of(id).flatMap(({ type, call }) => (type === 'status-update' ? [call.status] : []))
    const both = [...statuses(one), ...statuses(two)]
    expect(both.filter(status => status === 'finished')).toHaveLength(2)
    expect(both).toHaveLength(7)
  })

  test('faults added after a call was placed affect it', async () => {
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ frozen: true })
    const { body } = await sandbox.send('POST', paths.calls, callTo(sink.url))
    const call = String(body.sid)
    await expect.poll(() => sink.of(call).length).toBe(1)
    sandbox.first.faults.add({ drop: 1, call })
    await sandbox.first.clock.advance(600_000)
    expect(sink.of(call)).toHaveLength(1)
  })

  test('counts requests across resets as seeded, so a restore repeats the same faults', async () => {
    const sandbox = await startTestSandbox({ httpFaults: { 429: 0.5 }, seed: 5 })
    const statuses = async () => {
      const found: number[] = []
      for (let sent = 0; sent < 12; sent += 1)
        found.push((await sandbox.send('POST', paths.tools, tool)).status)
      return found
    }
    const beginning = await statuses()
    expect(new Set(beginning)).toEqual(new Set([200, 429]))
    const saved = sandbox.first.snapshot()
    const next = await statuses()
    await sandbox.first.restore(saved)
    expect(await statuses()).toEqual(next)
    await sandbox.first.reset()
    expect(await statuses()).toEqual(beginning)
  })
})
