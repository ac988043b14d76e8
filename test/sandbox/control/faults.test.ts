import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FaultRule } from '../../../src/interface/control-api.ts'
import { httpFaultNames, webhookFaultNames } from '../../../src/interface/fault-names.ts'
import { seededRandom } from '../../../src/lib/deterministic.ts'
import { createFaults } from '../../../src/sandbox/faults/fault-rules.ts'
import type { FaultyWebhook } from '../../../src/sandbox/webhooks/faults.ts'
import { callTo, paths, startTestSandbox, tool } from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

const { calls: startCall, tools } = paths

const random = seededRandom(1)
const webhook = { callId: 'CC-1', index: 0, type: 'status-update', scope: undefined }
const request = { path: tools, scope: undefined, ordinal: 0 }

describe('a rule', () => {
  test.each<[FaultRule, Partial<FaultyWebhook>, boolean]>([
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
  ])('%j strikes the webhook %j: %j', (rule, about, strikes) => {
    const faults = createFaults({ rules: [rule], random })
    expect(faults.strikesWebhook('drop', { ...webhook, ...about })).toBe(strikes)
  })

  test.each<[FaultRule, { readonly path?: string; readonly scope?: string }, string | undefined]>([
    [{ 429: 1 }, {}, '429'],
    [{ hang: 1, reset: 1 }, {}, 'hang'],
    [{ 500: 1, path: '/assistants' }, {}, '500'],
    [{ 500: 1, path: '/assistants/v1/tools/' }, {}, undefined],
    [{ 500: 1, path: '/assistants/v1/tools/' }, { path: `${tools}/t1` }, '500'],
    [{ 500: 1, path: '/assistants/v1/tool' }, {}, undefined],
    [{ 500: 1, scope: 'a' }, {}, undefined],
    [{ 500: 1, scope: 'a' }, { scope: 'a' }, '500'],
  ])('%j and the request %j: %j', (rule, about, fault) => {
    expect(createFaults({ rules: [rule], random }).ofRequest({ ...request, ...about })).toBe(fault)
  })

  test('strikes as often as `times` says, and is gone then', () => {
    const faults = createFaults({ rules: [], random })
    const { id } = faults.add({ drop: 1, times: 2 })
    expect(faults.strikesWebhook('drop', webhook)).toBe(true)
    expect(faults.list()).toEqual([{ id, rule: { drop: 1, times: 2 }, struck: 1 }])
    expect(faults.strikesWebhook('drop', webhook)).toBe(true)
    expect(faults.strikesWebhook('drop', webhook)).toBe(false)
    expect([faults.list(), faults.remove(id)]).toEqual([[], false])
  })

  test('that is removed or cleared has no effect, and a reset restores the initial ones completely', () => {
    const faults = createFaults({ rules: [{ drop: 1, times: 1 }], random })
    faults.strikesWebhook('drop', webhook)
    const { id } = faults.add({ delay: 1 })
    expect(faults.remove(id)).toBe(true)
    faults.add({ delay: 1 })
    faults.clear()
    expect(faults.strikesWebhook('delay', webhook)).toBe(false)
    faults.reset()
    expect(faults.list()).toEqual([{ id: 'fault-1', rule: { drop: 1, times: 1 }, struck: 0 }])
  })

  test('says when those in force change', () => {
    let changes = 0
    const onChange = () => {
      changes += 1
    }
    const faults = createFaults({ rules: [], random, onChange })
    const { id } = faults.add({ drop: 1, times: 1 })
    faults.strikesWebhook('drop', webhook)
    faults.remove(id)
    faults.clear()
    expect(changes).toBe(4)
  })
})

test('a rule from a flag and one added at run time cause the same faults', () => {
  const probability = fc.constantFrom(0, 0.3, 0.7, 1)
  const anyRule = fc.record(
    Object.fromEntries([...webhookFaultNames, ...httpFaultNames].map(name => [name, probability])),
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(anyRule, fc.nat(), (rule, seed) => {
      if (Object.keys(rule).length === 0) return
      const given = createFaults({ rules: [rule], random: seededRandom(seed) })
      const added = createFaults({ rules: [], random: seededRandom(seed) })
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
      expect(given.list().map(({ struck }) => struck)).toEqual(added.list().map(({ struck }) => struck))
    }),
  )
})

describe('in a sandbox', () => {
  test('a fault of one call or scope does not affect other webhooks', async () => {
    const sink = await webhookSink()
    onTestFinished(sink.close)
    const sandbox = await startTestSandbox({ caller: 'live' })
    const { faults } = sandbox.first
    const place = async (headers: Record<string, string> = {}) =>
      String((await sandbox.send('POST', startCall, callTo(sink.url), headers)).body.sid)
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
    onTestFinished(sink.close)
    const sandbox = await startTestSandbox({ frozen: true })
    const { body } = await sandbox.send('POST', startCall, callTo(sink.url))
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
      for (let sent = 0; sent < 12; sent += 1) found.push((await sandbox.send('POST', tools, tool)).status)
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
