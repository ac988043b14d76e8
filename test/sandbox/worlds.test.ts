import { once } from 'node:events'
import { createServer } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { World } from '../../src/sandbox/index.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import { realClock } from '../helpers/real-clock.ts'
import { startTestSandbox, type TestSandbox } from '../helpers/test-sandbox.ts'
import { webhookSink } from '../helpers/webhook-sink.ts'

/** Sends with the key of a world. */
function within(sandbox: TestSandbox, { team }: World) {
  return (method: string, path: string, body?: unknown) =>
    sandbox.send(method, path, body, { authorization: `Bearer ${team.apiKey}` })
}

const numbers = { userNumber: '+12025550123', assistantNumber: '+12025550100' }

test('worlds of one server see nothing of each other', async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox()
  const other = await sandbox.world({ seed: 7 })
  const send = within(sandbox, other)
  const assistant = { name: 'Desk', welcomeMessage: 'Here.', assistantServer: { url: sink.url } }

  const made = (await send('POST', '/assistants/v1/assistants', assistant)).body
  expect(made.teamId).toBe(other.team.teamId)
  expect(other.team.teamId).not.toBe(sandbox.first.team.teamId)
  const notFound = await sandbox.send('POST', '/calls/v1/conversations', {
    ...numbers,
    assistantId: made._id,
  })
  expect(notFound.status).toBe(404)
  const { body } = await send('POST', '/calls/v1/conversations', { ...numbers, assistantId: made._id })
  await sandbox.idle()

  const control = `/calls/v1/conversations/${body.sid}/control`
  expect((await send('GET', control)).body).toMatchObject({ status: 'completed' })
  expect((await sandbox.send('GET', control)).status).toBe(404)
  expect((await sandbox.send('POST', control, { type: 'hangup' })).status).toBe(404)
  expect(sink.of(String(body.sid)).length).toBeGreaterThan(0)

  expect([...sandbox.first.store.calls()]).toEqual([])
  expect(sandbox.first.requests.list({}).map(({ status }) => status)).toEqual([404, 404, 404])
  expect(other.requests.list({}).map(({ status }) => status)).toEqual([200, 200, 200])
  other.faults.add({ '500': 1 })
  expect((await send('POST', '/assistants/v1/tools', { type: 'function' })).status).toBe(500)
  expect((await sandbox.send('POST', '/assistants/v1/tools', { type: 'function' })).status).toBe(200)
  const before = sandbox.first.clock.now()
  await other.clock.advance(1000)
  expect(sandbox.first.clock.now()).toBe(before)
})

test('a world accepts its own seed, pace and key, and equal seeds produce the same', async () => {
  const sandbox = await startTestSandbox({ seed: 1 })
  const [one, same, other, live] = await Promise.all([
    sandbox.world({ seed: 5, apiKey: 'my-key_1' }),
    sandbox.world({ seed: 5 }),
    sandbox.world({ seed: 6 }),
    sandbox.world({ pace: 1, frozen: true, teamId: 'team-mine' }),
  ])
  expect(one.team.apiKey).toBe('my-key_1')
  expect([live.team.teamId, live.clock.pace, live.clock.frozen]).toEqual(['team-mine', 1, true])
  const ids = await Promise.all(
    [one, same, other].map(async world => {
      const { body } = await within(sandbox, world)('POST', '/assistants/v1/assistants', { name: 'Desk' })
      return [body._id, body.createdAt]
    }),
  )
  expect(ids[0]).toEqual(ids[1])
  expect(ids[0]?.[0]).not.toEqual(ids[2]?.[0])
  expect(new Set(sandbox.worlds().map(({ team }) => team.teamId)).size).toBe(5)
})

test('a world without a seed derives one from its name or index, and no two produce equal ids', async () => {
  const idsOf = async (openings: readonly Parameters<TestSandbox['world']>[0][]) => {
    const sandbox = await startTestSandbox({ seed: 1 })
    const worlds = await Promise.all(openings.map(sandbox.world))
    const ids = await Promise.all(
      [sandbox.first, ...worlds].map(async world => {
        const assistant = await within(sandbox, world)('POST', '/assistants/v1/assistants', { name: 'Desk' })
        const call = await within(sandbox, world)('POST', '/calls/v1/conversations', {
          ...numbers,
          assistant: { name: 'Desk' },
        })
        return [world.team.teamId, assistant.body._id, call.body.sid]
      }),
    )
    expect(new Set(ids.flat()).size).toBe(3 * ids.length)
    return ids.map(String)
  }
  const [first, , two, ofKey, ofTeam] = await idsOf([{}, {}, { apiKey: 'key' }, { teamId: 'team-mine' }])
  const other = await idsOf([{ teamId: 'team-mine' }, { apiKey: 'other' }, {}, { apiKey: 'key' }, {}])
  expect(other.slice(0, 2)).toEqual([first, ofTeam])
  expect(other.slice(4)).toEqual([ofKey, two])
  const [random] = await Promise.all([startTestSandbox({ pace: 1000 })])
  const [one, same] = [await random.world({ pace: 0 }), await random.world({ pace: 0 })]
  expect(one.team.teamId).not.toBe(same.team.teamId)
})

test('rejects a taken key or team, even concurrently, until its world is closed', async () => {
  const sandbox = await startTestSandbox()
  const world = await sandbox.world({ apiKey: 'mine', teamId: 'team-mine' })
  const refused = (options: Parameters<typeof sandbox.world>[0]) =>
    expect(sandbox.world(options)).rejects.toMatchObject({
      kind: 'conflict',
      details: { teamId: 'team-mine' },
    })
  await refused({ apiKey: 'mine' })
  await refused({ teamId: 'team-mine' })
  await expect(sandbox.world({ apiKey: sandbox.apiKey })).rejects.toMatchObject({ code: 'key-taken' })
  const both = await Promise.allSettled([sandbox.world({ apiKey: 'two' }), sandbox.world({ apiKey: 'two' })])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  for (const apiKey of ['', 'two words', 'ключ'])
    await expect(sandbox.world({ apiKey })).rejects.toMatchObject({ code: 'unusable-key' })
  await expect(sandbox.world({ pace: -1 })).rejects.toMatchObject({ code: 'bad-pace' })

  await world.close()
  expect((await within(sandbox, world)('POST', '/assistants/v1/tools', { type: 'function' })).status).toBe(
    401,
  )
  const again = await sandbox.world({ apiKey: 'mine', teamId: 'team-mine' })
  expect(sandbox.worlds()).toContain(again)
  expect(sandbox.worlds()).not.toContain(world)
})

test('a thousand worlds side by side, each with its own; closing one leaves the others', async () => {
  const sandbox = await startTestSandbox()
  const worlds = await Promise.all(Array.from({ length: 1000 }, (_, seed) => sandbox.world({ seed })))
  expect(new Set(worlds.map(({ team }) => team.apiKey)).size).toBe(1000)
  expect(new Set(worlds.map(({ team }) => team.teamId)).size).toBe(1000)
  const every50th = worlds.filter((_, index) => index % 50 === 0)
  for (const world of every50th) {
    const { status } = await within(sandbox, world)('POST', '/calls/v1/conversations', {
      ...numbers,
      assistant: { welcomeMessage: world.team.teamId },
    })
    expect(status).toBe(200)
  }
  await sandbox.idle()
  for (const { store, team } of every50th)
    expect([...store.calls()].map(({ messages }) => messages?.[0]?.text)).toEqual([team.teamId])
  const [first, ...rest] = every50th
  await first?.close()
  await sandbox.world()
  await expect(sandbox.world()).rejects.toMatchObject({ code: 'too-many-worlds', details: { max: 1000 } })
  const refused = await sandbox.send('POST', '/__sandbox/worlds', undefined, {
    authorization: `Bearer ${sandbox.controlToken}`,
  })
  expect(refused).toMatchObject({
    status: 409,
    body: { detail: '1000 worlds are open beside the first one', hint: expect.stringContaining('DELETE') },
  })
  for (const { team } of rest.slice(0, 3)) expect(sandbox.worlds().map(({ team }) => team)).toContain(team)
  expect(sandbox.worlds()).toHaveLength(1001)
})

test('a closed busy world or sandbox leaves no socket or timer', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
  await setImmediate()
  const before = handles()
  const sandbox = await startSandbox({ port: 0, pace: 1, clock: realClock })
  const send = (apiKey: string, assistant: unknown) =>
    fetch(`${sandbox.baseUrl}/calls/v1/conversations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ ...numbers, assistant }),
    })
  const worlds = await Promise.all([0, 1, 50].map(pace => sandbox.world({ pace })))
  for (const { team } of [...worlds, sandbox.first]) {
    expect((await send(team.apiKey, { welcomeMessage: 'Hello.' })).status).toBe(200)
    expect((await send(team.apiKey, { assistantServer: { url, timeoutSeconds: 1 } })).status).toBe(200)
  }
  const advanced = worlds.map(({ clock }) => clock.advance(500))
  await Promise.all(worlds.map(world => world.close()))
  await Promise.all(advanced)
  expect(sandbox.worlds()).toEqual([sandbox.first])
  await sandbox.close()
  silent.closeAllConnections()
  await setImmediate()
  const after = handles()
  // What was there before may have ended meanwhile.
  for (const name of before) {
    const place = after.indexOf(name)
    if (place !== -1) after.splice(place, 1)
  }
  expect(after).toEqual([])
  silent.close()
})

/** Handles that keep a process alive, except its own pipes. */
function handles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter(name => /^(TCP|Timeout|Immediate|FS)/.test(name))
    .sort()
}
