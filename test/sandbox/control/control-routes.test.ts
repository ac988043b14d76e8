import { describe, expect, test } from 'vitest'
import { callTo, paths, startTestSandbox, tool } from '../../helpers/test-sandbox.ts'

const { calls: startCall, tools } = paths

describe('every route', () => {
  test('GET requests shows what came in, filtered', async () => {
    const { control, send } = await startTestSandbox()
    await send('POST', tools, tool, { 'x-sandbox-scope': 'one' })
    const { body: placed } = await send('POST', startCall, callTo())
    await send('GET', `${startCall}/${placed.sid}/control`)
    await send('PATCH', `${tools}/t1`, {})
    await send('POST', tools, 'no JSON')
    await send('POST', '/nowhere?x=1', {})
    await send('POST', tools, tool, { authorization: 'Bearer wrong' })
    const paths = async (query: string) => {
      const { body } = await control('GET', `requests${query}`)
      return (body.requests as { method: string; path: string; status: number }[]).map(
        ({ method, path, status }) => `${method} ${path} ${status}`,
      )
    }
    const call = `GET ${startCall}/${placed.sid}/control 200`
    const all = await paths('')
    expect(all).toEqual([
      `POST ${tools} 200`,
      `POST ${startCall} 200`,
      call,
      `PATCH ${tools}/t1 404`,
      `POST ${tools} 400`,
      'POST /nowhere?x=1 404',
      `POST ${tools} 401`,
    ])
    expect(await paths(`?path=${tools}`)).toEqual([all[0], all[3], all[4], all[6]])
    expect(await paths('?path=/nowhere&method=post')).toEqual(['POST /nowhere?x=1 404'])
    expect(await paths('?scope=one')).toEqual([all[0]])
    expect(await paths(`?call=${placed.sid}`)).toEqual([all[1], call])
    expect(await paths('?path=/assist')).toEqual([])
    const { body } = await control('GET', `requests?path=${tools}&method=POST`)
    const [first, broken, stranger] = body.requests as Record<string, unknown>[]
    expect(first).toMatchObject({
      at: '2026-01-01T00:00:00.000Z',
      scope: 'one',
      headers: { authorization: '****', 'content-type': 'application/json', 'x-sandbox-scope': 'one' },
      body: tool,
      answer: { _id: expect.any(String), ...tool },
    })
    expect(broken).toMatchObject({ body: 'no JSON', answer: { status: 400 } })
    expect(stranger).toMatchObject({ answer: { status: 401 } })
    expect(stranger).not.toHaveProperty('body')
    expect(await paths(`?id=${first?.requestId}`)).toEqual([all[0]])
  })

  test('GET calls and records show what is held', async () => {
    const { control, send, idle } = await startTestSandbox()
    const { body: made } = await send('POST', tools, tool)
    const faq = [{ question: 'When?', answer: 'At nine.' }]
    const { body: inserted } = await send('POST', '/kb/v1/knowledge-bases/kb/faq-template', { faq })
    const { body: placed } = await send('POST', startCall, callTo())
    await idle()
    expect((await control('GET', 'records')).body).toEqual({
      assistants: [],
      tools: [made],
      knowledgeBases: [{ id: 'kb', faq: inserted.faq }],
    })
    const { body: shown } = await send('GET', `${startCall}/${placed.sid}/control`)
    expect((await control('GET', 'calls')).body).toEqual({ calls: [shown] })
  })

  test('the clock is read, moved, frozen and set to another pace', async () => {
    const { control } = await startTestSandbox()
    const now = (body?: unknown) => control(body === undefined ? 'GET' : 'POST', 'clock', body)
    expect((await now()).body).toEqual({ now: '2026-01-01T00:00:00.000Z', pace: 0, frozen: false })
    expect((await now({ advance: '2d' })).body.now).toBe('2026-01-03T00:00:00.000Z')
    expect((await now({ advance: 1500 })).body.now).toBe('2026-01-03T00:00:01.500Z')
    expect((await now({ freeze: true })).body).toMatchObject({ pace: 0, frozen: true })
    expect((await now({ pace: 4, freeze: true })).body).toMatchObject({ pace: 4, frozen: true })
    expect((await now({ advance: '0s' })).body.now).toBe('2026-01-03T00:00:01.500Z')
  })

  test('a rejected change of the clock changes nothing', async () => {
    const { control } = await startTestSandbox()
    const before = (await control('GET', 'clock')).body
    const { status, body } = await control('POST', 'clock', { pace: 5, freeze: true, advance: 1e15 })
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ path: 'advance' })]])
    expect((await control('GET', 'clock')).body).toEqual(before)
  })

  test('rejects a path without a route', async () => {
    const { control } = await startTestSandbox()
    const paths = async (answer: ReturnType<typeof control>) => {
      const { status, body } = await answer
      return [status, (body.errors as { path: string }[]).map(({ path }) => path)]
    }
    expect(await paths(control('POST', 'faults', { 500: 1, path: 'assistants' }))).toEqual([422, ['path']])
    expect(await paths(control('GET', 'requests?path=assistants'))).toEqual([400, ['path']])
    expect((await control('GET', 'faults')).body).toEqual({ faults: [] })
  })

  test('adds and removes faults', async () => {
    const { control, send } = await startTestSandbox({ httpFaults: { 500: 1 } })
    expect((await control('GET', 'faults')).body).toEqual({
      faults: [{ id: 'fault-1', rule: { 500: 1 }, struck: 0 }],
    })
    expect((await send('POST', tools, tool)).status).toBe(500)
    expect((await control('DELETE', 'faults/fault-1')).body).toEqual({ faults: [] })
    const rule = { 429: 1, path: tools, times: 2 }
    expect((await control('POST', 'faults', rule)).body).toEqual({ id: 'fault-2', rule, struck: 0 })
    const statuses = []
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await send('POST', tools, tool)).status)
    expect(statuses).toEqual([429, 429, 200, 200])
    await control('POST', 'faults', { hang: 1 })
    expect((await control('DELETE', 'faults')).body).toEqual({ faults: [] })
    expect((await send('POST', tools, tool)).status).toBe(200)
    expect((await control('GET', 'requests?method=POST')).body.requests).toMatchObject([
      { status: 500, fault: '500' },
      { status: 429, fault: '429' },
      { status: 429, fault: '429' },
      { status: 200 },
      { status: 200 },
      { status: 200 },
    ])
  })

  test('snapshot, restore and reset', async () => {
    const { control, send } = await startTestSandbox()
    const make = async () => (await send('POST', tools, tool)).body
    const one = await make()
    const { body: saved } = await control('POST', 'snapshot')
    expect(saved).toMatchObject({ format: 'callyard-sandbox', version: 1, ids: 1, entries: [{}] })
    const two = await make()
    expect((await control('POST', 'restore', saved)).body).toEqual((await control('GET', 'clock')).body)
    expect(await make()).toEqual(two)
    expect((await control('POST', 'reset')).body.now).toBe('2026-01-01T00:00:00.000Z')
    expect((await control('GET', 'records')).body).toMatchObject({ tools: [] })
    expect(await make()).toEqual(one)
    expect((await control('GET', 'requests')).body.requests).toHaveLength(1)
  })

  test('worlds are opened, chosen and closed', async () => {
    const { control, send, first } = await startTestSandbox()
    const { body: opened } = await control('POST', 'worlds', { seed: 3, frozen: true })
    expect(opened).toMatchObject({ apiKey: expect.stringMatching(/^cy_sandbox_/), clock: { frozen: true } })
    const other = { authorization: `Bearer ${opened.apiKey}` }
    await send('POST', tools, tool, other)
    expect((await control('GET', 'records')).body).toMatchObject({ tools: [] })
    expect((await control('GET', `records?world=${opened.teamId}`)).body).toMatchObject({ tools: [tool] })
    const ids = [first.team.teamId, opened.teamId].map(teamId => ({ teamId }))
    expect((await control('GET', 'worlds')).body).toEqual({ worlds: ids })
    expect((await control('POST', 'worlds')).status).toBe(200)
    expect((await control('DELETE', `worlds/${opened.teamId}`)).body.worlds).toHaveLength(2)
    expect((await send('POST', tools, tool, other)).status).toBe(401)
    expect((await control('GET', `records?world=${opened.teamId}`)).status).toBe(404)
  })
})

describe('invalid input', () => {
  test.each([
    ['GET', 'requests?pth=/x', undefined, 400, 'pth'],
    ['GET', 'clock?x=1', undefined, 400, 'x'],
    ['POST', 'clock', {}, 422, 'the document'],
    ['POST', 'clock', { advance: '2 days' }, 422, 'advance'],
    ['POST', 'clock', { advance: -1 }, 422, 'advance'],
    ['POST', 'clock', { advance: 1e300 }, 422, 'advance'],
    ['POST', 'clock', { pace: -1 }, 422, 'pace'],
    ['POST', 'clock', { freeze: 'yes' }, 422, 'freeze'],
    ['POST', 'clock', { freez: true }, 422, 'freez'],
    ['POST', 'faults', {}, 422, 'the document'],
    ['POST', 'faults', { drop: 2 }, 422, 'drop'],
    ['POST', 'faults', { dorp: 1 }, 422, 'dorp'],
    ['POST', 'faults', { 429: 1, call: 'CC-1' }, 422, 'call'],
    ['POST', 'faults', { 429: 1, type: 'status-update' }, 422, 'type'],
    ['POST', 'faults', { drop: 1, path: '/x' }, 422, 'path'],
    ['POST', 'faults', { drop: 1, times: 0 }, 422, 'times'],
    ['POST', 'worlds', { seed: -1 }, 422, 'seed'],
    ['POST', 'worlds', { pace: -1 }, 422, 'pace'],
    ['POST', 'worlds', { apiKey: 'two words' }, 422, 'apiKey'],
    ['POST', 'restore', {}, 422, 'format'],
  ] as const)('%s %s %j is rejected with %d and mentions %s', async (method, path, body, status, field) => {
    const { control } = await startTestSandbox()
    const answer = await control(method, path, body)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer).toMatchObject({ status, body: { errors: expect.any(Array) } })
    expect((answer.body.errors as { path: string }[]).map(each => each.path)).toContain(field)
  })

  test.each([
    [
      'clock',
      { advance: 'soon' },
      'advance is "soon"; allowed: a duration such as 90s, 1.5h or 2d, or a number at least 0',
    ],
    [
      'clock',
      { advance: true },
      'advance is true; allowed: a duration such as 90s, 1.5h or 2d, or a number at least 0',
    ],
    ['clock', { advance: '1000000w' }, 'advance is "1000000w": beyond the year 9999'],
    [
      'restore',
      {
        format: 'callyard-sandbox',
        version: 1,
        ids: 0,
        requests: 0,
        entries: [],
        clock: { now: '2026-13-01' },
      },
      'clock.now is "2026-13-01"; allowed: a date and time in UTC such as 2026-03-01T10:00:00Z',
    ],
  ] as const)('%s %j lists the allowed values', async (path, body, message) => {
    const { control } = await startTestSandbox()
    const answer = await control('POST', path, body)
    expect(answer.body.errors).toEqual([expect.objectContaining({ message })])
  })

  test.each([
    ['GET', 'nothing', undefined, 404],
    ['DELETE', 'faults/fault-9', undefined, 404],
    ['DELETE', 'worlds/team-9', undefined, 404],
    ['GET', 'calls?world=team-9', undefined, 404],
    ['PUT', 'clock', {}, 405],
    ['GET', 'reset', undefined, 405],
    ['POST', 'clock', '{', 400],
    ['POST', 'clock', '[]', 422],
  ] as const)('%s %s gets %d and changes nothing', async (method, path, body, ...[status]) => {
    const { control, first } = await startTestSandbox()
    const answer = await control(method, path, body)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(first.faults.list()).toEqual([])
  })

  test('a key or an id that another world has, and the end of the first world, are conflicts', async () => {
    const { control, first, apiKey } = await startTestSandbox()
    const { teamId } = first.team
    expect((await control('POST', 'worlds', { apiKey })).status).toBe(409)
    expect((await control('POST', 'worlds', { teamId })).status).toBe(409)
    expect((await control('DELETE', `worlds/${teamId}`)).status).toBe(409)
  })
})

describe('permissions', () => {
  test('the control token allows only the control API, an API key only the service', async () => {
    const { control, send, apiKey, controlToken } = await startTestSandbox()
    expect((await control('GET', 'clock', undefined, { authorization: '' })).status).toBe(401)
    const refused = await control('POST', 'reset', undefined, { authorization: `Bearer ${apiKey}` })
    expect(refused).toMatchObject({ status: 401, body: { detail: expect.stringContaining('control token') } })
    expect(JSON.stringify(refused.body)).not.toContain(controlToken)
    const wrong = await send('POST', tools, tool, { authorization: `Bearer ${controlToken}` })
    expect(wrong.status).toBe(401)
  })

  test('serves no control API without control', async () => {
    const { send, controlToken } = await startTestSandbox({ controlToken: false })
    expect(controlToken).toBeUndefined()
    expect((await send('GET', '/__sandbox/clock')).status).toBe(404)
  })

  test('OPTIONS lists the allowed methods without allowing other origins; HEAD is a GET without its body', async () => {
    const { baseUrl, controlToken } = await startTestSandbox()
    const headers = { authorization: `Bearer ${controlToken}` }
    const options = await fetch(`${baseUrl}/__sandbox/clock`, { method: 'OPTIONS', headers })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST'])
    expect(options.headers.get('access-control-allow-origin')).toBeNull()
    const head = await fetch(`${baseUrl}/__sandbox/clock`, { method: 'HEAD', headers })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
