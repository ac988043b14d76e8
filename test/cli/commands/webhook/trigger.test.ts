import { expect, test } from 'vitest'
import topicTexts from '../../../../src/cli/commands/help/topics?texts'
import { oddShapeNames, oddShapes } from '../../../../src/events/trigger/index.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { refusingOrigin } from '../../../helpers/ports.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { startTarget, type TargetServer } from '../../../helpers/target-server.ts'
import { testCli } from '../../../helpers/test-cli.ts'

interface Reply {
  readonly status?: number
  readonly body?: string
}

/** A server under development: responds with the result of `reply` for each event by its number from 1. */
async function receiver(reply: (count: number) => Reply | 'hang' | 'close' = () => ({})) {
  const target = await startTarget(response => {
    const given = reply(target.arrivals.length)
    if (given === 'hang') return
    if (given === 'close') return response.destroy()
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', location: '/other' })
    return response.end(given.body ?? '{"message":"ok"}')
  })
  return target
}

/** Messages of the events that arrived. */
const messagesAt = ({ arrivals }: TargetServer) => arrivals.map(arrival => arrival.json().message)

async function trigger(...argv: string[]) {
  const cli = await testCli()
  return cli.runWith({ clock: realClock }, 'webhook', 'trigger', ...argv)
}

test('call sends a whole call in order, one after the other', async () => {
  const server = await receiver()
  const { exitCode, stdout, stderr } = await trigger('call', '--to', server.url, '--messages', '2')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `5 of 5 events sent, all acknowledged with 2xx, to\n  ${server.url}\n`,
  })
  expect(messagesAt(server).map(({ type, call, messages }) => [type, call.status, messages?.length])).toEqual(
    [
      ['status-update', 'queued', undefined],
      ['status-update', 'ongoing', undefined],
      ['conversation-update', 'ongoing', 1],
      ['conversation-update', 'ongoing', 2],
      ['status-update', 'finished', undefined],
    ],
  )
  expect(messagesAt(server).at(-1)).toHaveProperty('analysis.summary')
  expect(server.mostAtOnce).toBe(1)
  expect(new Set(messagesAt(server).map(({ call }) => call.id)).size).toBe(1)
  expect(server.arrivals[0]?.headers['content-type']).toBe('application/json')
  expect(stdout).toMatch(/^status-update {10}queued {18}200 {2}\d+ ms\n/)
  expect(stdout).toMatch(/conversation-update {4}ongoing · 2 messages {4}200 {2}\d+ ms\n/)
  expect(stdout.trimEnd().split('\n')).toHaveLength(5)
})

test('without --messages a call has six', async () => {
  const server = await receiver()
  await trigger('call', '--to', server.url)
  expect(server.arrivals).toHaveLength(9)
})

test('--call, --set, --status and --header shape the event', async () => {
  const server = await receiver()
  const { exitCode } = await trigger(
    ...['conversation-update', '--to', `${server.url}?key=s3cret`, '--call', 'CC-7', '--status', 'finished'],
    ...['--set', 'call.userNumber=+12025550142', '--set', 'messages[0].text=Hi', '--header', 'X-Token: a b'],
  )
  expect(exitCode).toBe(0)
  expect(server.arrivals[0]?.headers).toMatchObject({ 'x-token': 'a b' })
  expect(messagesAt(server)[0]).toMatchObject({
    type: 'conversation-update',
    call: { id: 'CC-7', status: 'finished', userNumber: '+12025550142' },
    messages: [{ messageId: 'CC-7-1', text: 'Hi' }, {}, {}, {}, {}, {}],
  })
})

test('--json prints one line per event with its body and response', async () => {
  const server = await receiver()
  const { stdout } = await trigger('status-update', '--to', server.url, '--call', 'CC-7', '--json')
  expect(jsonLines(stdout)).toEqual([
    {
      kind: 'delivery',
      type: 'status-update',
      callId: 'CC-7',
      callStatus: 'queued',
      messages: null,
      sent: { message: messagesAt(server)[0] },
      milliseconds: expect.any(Number),
      status: 200,
      body: '{"message":"ok"}',
      acknowledged: true,
    },
  ])
})

test('shows a response other than { message } with one warning', async () => {
  const server = await receiver(() => ({ body: '<b>\u001b[31mhello</b>' }))
  const { exitCode, stdout, stderr } = await trigger('call', '--to', server.url, '--messages', '1')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('\n  <b>\\x1b[31mhello</b>\n')
  expect(stderr.match(/responded 200 without \{ message \}/g)).toHaveLength(1)
})

test.each([
  [404, 5, 'got 404'],
  [307, 5, 'redirects are not followed'],
  [401, 5, 'got 401'],
  [503, 6, 'got 503'],
])('%d exits with code %d after sending every event', async (status, expected, words) => {
  const server = await receiver(count =>
    count === 2 ? { status, body: 'no' } : { status: count > 2 ? 500 : 200, body: '{"message":"ok"}' },
  )
  const { exitCode, stdout, stderr } = await trigger('call', '--to', server.url, '--messages', '1')
  expect(exitCode).toBe(expected)
  expect(server.arrivals).toHaveLength(4)
  expect(stdout).toContain('\n  no\n')
  expect(stderr).toContain('event 2, status-update,')
  expect(stderr).toContain(words)
})

test('sends nothing else without a response', async () => {
  const server = await receiver(count => (count === 2 ? 'hang' : {}))
  const { exitCode, stdout, stderr } = await trigger('call', '--to', server.url, '--timeout', '2s', '--json')
  expect(exitCode).toBe(6)
  expect(server.arrivals).toHaveLength(2)
  expect(jsonLines(stdout).slice(-2)).toMatchObject([
    { failure: 'no response within 2 s', callStatus: 'ongoing' },
    { kind: 'error', error: { exitCode: 6 } },
  ])
  expect(stderr).toContain('1 of 9 events got a response')
})

test('a missing server exits with 6 without printing the query', async () => {
  const url = `${await refusingOrigin()}/hook?key=s3cret`
  const { exitCode, stderr } = await trigger('status-update', '--to', url)
  expect(exitCode).toBe(6)
  expect(stderr).toContain('connection refused')
  expect(stderr).not.toContain('s3cret')
})

test('--dry-run prints the bodies and sends nothing', async () => {
  const { exitCode, stdout, stderr } = await trigger('status-update', '--dry-run', '--set', 'call.id=CC-7')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Nothing was sent.\n' })
  expect(JSON.parse(stdout)).toMatchObject({ message: { type: 'status-update', call: { id: 'CC-7' } } })
  const many = await trigger('call', '--dry-run', '--json')
  expect(jsonLines(many.stdout).map(({ type, messages }) => [type, messages])).toHaveLength(9)
})

test('prompts without --to on a terminal, and exits in a script', async () => {
  const { exitCode, stderr } = await trigger('status-update')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('--to')
  const server = await receiver()
  const cli = await testCli()
  cli.type(server.url)
  expect(await cli.runWith({ clock: realClock }, 'webhook', 'trigger', 'status-update')).toMatchObject({
    exitCode: 0,
  })
  expect(server.arrivals).toHaveLength(1)
})

test.each([
  ['speech-update'],
  ['status-update', '--to', 'ftp://example.test'],
  ['status-update', '--to', 'http://user:pw@example.test/'],
  ['status-update', '--to', 'hook'],
  ['status-update', '--messages', '3', '--dry-run'],
  ['call', '--status', 'ongoing', '--dry-run'],
  ['call', '--messages', '1001', '--dry-run'],
  ['call', '--set', 'no-value', '--dry-run'],
  ['call', '--set', 'messages[].text=x', '--dry-run'],
  ['call', '--unset', 'call..id', '--dry-run'],
  ['call', '--unset', 'call.nothing', '--dry-run'],
  ['call', '--shape', 'numeric-call-id', '--dry-run'],
  ['odd', '--shape', 'numeric-call', '--dry-run'],
  ['odd', '--set', 'call.id=1', '--dry-run'],
  ['odd', '--messages', '3', '--dry-run'],
  ['call', '--header', 'host: elsewhere.example.test', '--dry-run'],
  ['call', '--header', 'x-name: \u20ac', '--dry-run'],
  ['call', '--header', 'x: 1', '--header', 'X: 2', '--dry-run'],
])('%j is wrong usage', async (...argv) => {
  expect(await trigger(...argv)).toMatchObject({ exitCode: 2, stdout: '' })
})

test('rejects an unknown field with a suggestion, and accepts it with --allow-unknown', async () => {
  const refused = await trigger('call', '--set', 'cal.id=x', '--dry-run')
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('cal.id: a message has no field cal')
  expect(refused.stderr).toContain('did you mean call.id? to send it anyway, pass --allow-unknown')
  const passed = await trigger('status-update', '--set', 'cal.id=x', '--allow-unknown', '--dry-run')
  expect(JSON.parse(passed.stdout)).toMatchObject({ message: { cal: { id: 'x' } } })
})

test('--set and --unset make the shapes that the interface does not show', async () => {
  const server = await receiver()
  const { exitCode, stdout } = await trigger(
    ...['status-update', '--to', server.url, '--unset', 'call', '--set', 'call.id=4711', '--json'],
    ...['--set', 'call.status=3', '--set', 'analysis=good', '--set', 'type=call-summary'],
  )
  expect(exitCode).toBe(0)
  expect(messagesAt(server)[0]).toMatchObject({
    type: 'call-summary',
    call: { id: 4711, status: 3 },
    analysis: 'good',
  })
  expect(jsonLines(stdout)).toEqual([
    expect.objectContaining({ type: 'call-summary', callId: '4711', callStatus: '3', status: 200 }),
  ])
})

test('odd sends every shape and prints its name', async () => {
  const server = await receiver()
  const { exitCode, stdout } = await trigger('odd', '--to', server.url)
  expect(exitCode).toBe(0)
  for (const shape of oddShapeNames) expect(stdout).toMatch(new RegExp(`^${shape} .* 200 `, 'm'))
  expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(78)
  expect(server.arrivals.length).toBeGreaterThan(oddShapeNames.length)
})

test('odd continues after a closed connection and lists every shape that failed', async () => {
  const server = await receiver(count => (count === 1 ? 'close' : count === 3 ? { status: 400 } : {}))
  const { exitCode, stdout, stderr } = await trigger('odd', '--to', server.url, '--json')
  expect(exitCode).toBe(6)
  expect(stderr).toContain('2 irregular events failed')
  expect(stderr).toMatch(/numeric-call-id: .*closed/)
  expect(stderr).toContain('numeric-status: 400')
  expect(new Set(jsonLines(stdout).flatMap(({ shape }) => shape ?? []))).toEqual(new Set(oddShapeNames))
})

test('odd stops if the server accepts no more connections', async () => {
  const server = await receiver()
  await server.stop()
  const { exitCode, stdout, stderr } = await trigger('odd', '--to', server.url)
  expect(exitCode).toBe(6)
  expect(stdout.match(/numeric/g)).toHaveLength(1)
  expect(stderr).toContain('check that the server is running')
})

test('suggests a similar shape and the topic for an unknown shape', async () => {
  const { stderr } = await trigger('odd', '--shape', 'epoch-second', '--dry-run')
  expect(stderr).toContain('Did you mean epoch-seconds?')
  expect(stderr).toContain('callyard help odd-events')
})

test('every odd shape is in the topic', () => {
  for (const [shape, odd] of Object.entries(oddShapes)) {
    expect(topicTexts['odd-events'].replace(/\s+/g, ' ')).toContain(`${shape} ${odd}`)
  }
})

test('--shape selects shapes, --call selects their calls, --dry-run lists both', async () => {
  const some = [
    'odd',
    '--shape',
    'numeric-call-id',
    '--shape',
    'call-without-id',
    '--call',
    'CC-7',
    '--dry-run',
  ]
  const { stdout } = await trigger(...some)
  expect(stdout.match(/^\S.*: .*/gm)).toEqual([
    'numeric-call-id: call.id is a number',
    'numeric-call-id: call.id is a number',
    'call-without-id: call has no id',
  ])
  const json = jsonLines((await trigger(...some, '--json')).stdout)
  expect(json.map(({ shape }) => shape)).toEqual(['numeric-call-id', 'numeric-call-id', 'call-without-id'])
  expect(json[0]).toMatchObject({
    sent: {
      message: { call: { id: expect.any(Number) }, messages: [{ messageId: 'CC-7-numeric-call-id-1' }, {}] },
    },
  })
})
