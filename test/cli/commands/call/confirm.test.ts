import { writeFile } from 'node:fs/promises'
import { createServer, request, type ServerResponse } from 'node:http'
import { connect, createServer as createNetServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenOnLoopback } from '../../../helpers/loopback.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { startTestSandbox } from '../../../helpers/test-sandbox.ts'

const start = ['call', 'start', '--from', '+12025550100', '--to', '+1 202 555 0123'] as const
const baseUrl = 'https://calls.example.test'

/** A service far away: behind a proxy, which notes who wants to reach it, and leads nowhere. */
async function farAway(files: Readonly<Record<string, string>> = {}): Promise<TestCli & { asked: string[] }> {
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  const { origin } = await listenOnLoopback(proxy)
  const cli = await testCli(files, { env: { CALLYARD_BASE_URL: baseUrl, HTTPS_PROXY: origin } })
  return { ...cli, asked }
}

test('a person reads service, assistant and numbers, and asked before it rings', async () => {
  const cli = await farAway({ 'desk.yaml': 'name: Desk\n' })
  cli.type('n')
  const result = await cli.run(...start, '--assistant', 'desk.yaml')
  expect(result).toEqual({
    exitCode: 130,
    stdout: '',
    stderr: [
      `Service    ${baseUrl}`,
      'Assistant  desk.yaml, sent inline',
      'From       +12025550100',
      'To         +12025550123',
      'Cancelled; no call was placed',
      '',
    ].join('\n'),
  })
  expect(cli.asked).toEqual([])
})

test.each([
  ['a yes', ['y'], []],
  ['--yes', ['never asked'], ['--yes']],
  ['a script with --yes', [], ['--yes']],
])('%s places the call', async (_, typed, flags) => {
  const cli = await farAway()
  cli.type(...typed)
  await cli.run(...start, ...flags)
  expect(new Set(cli.asked)).toEqual(new Set(['calls.example.test:443']))
})

test.each([
  ['call start', start],
  ['call start --json', [...start, '--json']],
  ['call connect', ['call', 'connect', '--phone-number-id', 'pn_1', '--to', '+12025550123']],
  ['api POST', ['api', 'POST', '/calls/v1/conversations;x', '--body', '{}']],
  ['api DELETE', ['api', 'DELETE', '/calls%252fv1/conversations/CC-1']],
])('a script needs --yes for %s', async (_, argv) => {
  const cli = await farAway()
  const { exitCode, stderr, stdout } = await cli.run(...argv)
  expect(exitCode).toBe(2)
  expect(stdout + stderr).toContain('without confirmation, --yes is required')
  expect(cli.asked).toEqual([])
})

test('--no-input turns the prompt into an error that mentions --yes', async () => {
  const cli = await farAway()
  cli.type('never asked')
  expect(await cli.run(...start, '--no-input')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--yes is missing'),
  })
  expect(cli.asked).toEqual([])
  await cli.run(...start, '--no-input', '--yes')
  expect(cli.asked).toEqual(['calls.example.test:443'])
})

test('call connect asks too, and --quiet does not hide what the question is about', async () => {
  const cli = await farAway()
  cli.type('n')
  const { exitCode, stderr } = await cli.run(
    ...['call', 'connect', '--phone-number-id', 'pn_1', '--to', '+12025550123', '--customer-name', 'Ada'],
    ...['--assistant-id', 'a1', '--quiet'],
  )
  expect(exitCode).toBe(130)
  expect(stderr).toContain('Assistant        a1\n')
  expect(stderr).toContain('Phone number id  pn_1\n')
  expect(stderr).toContain('Customer         +12025550123 (Ada)\n')
  expect(cli.asked).toEqual([])
})

test('without a key the question is not asked', async () => {
  const cli = await testCli({}, { env: { CALLYARD_BASE_URL: baseUrl, CALLYARD_API_KEY: undefined } })
  cli.type('never asked')
  expect(await cli.run(...start)).toMatchObject({ exitCode: 4 })
})

const placed = '/calls/v1/conversations'

/** Passes each connection on, as `ssh -L` and port forwarding do. */
async function forwarded(origin: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const forward = createNetServer(socket => {
    const upstream = connect(Number(port), hostname)
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>(resolve => forward.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void forward.close())
  const address = forward.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

/** Passes each request on, as a reverse proxy does. */
async function reverseProxied(origin: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const upstream = request(new URL(url ?? '/', origin), { method, headers }, response => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    incoming.pipe(upstream)
  })
  return (await listenOnLoopback(proxy)).origin
}

test.each([
  ['itself', async (origin: string) => origin],
  ['behind a port forward', forwarded],
  ['behind a reverse proxy', reverseProxied],
])('a sandbox %s identifies itself: no phone rings, and nothing is asked', async (_, through) => {
  const sandbox = await startTestSandbox()
  const env = { CALLYARD_BASE_URL: await through(sandbox.baseUrl), CALLYARD_API_KEY: sandbox.apiKey }
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' }, { env })
  cli.type('never asked')
  expect(await cli.run(...start, '--assistant', 'desk.yaml')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(': no phone rings'),
  })
})

const identity = { service: 'callyard sandbox', teamId: 'team-1' }
const sendJson = (response: ServerResponse, status: number, value: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const others: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'says 404': response => response.writeHead(404).end(),
  'wants a key': response => sendJson(response, 401, identity),
  'sends a page': response => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Calls</h1>'),
  'sends other JSON': response => sendJson(response, 200, { ...identity, service: 'calls' }),
  'sends a list': response => sendJson(response, 200, [identity]),
  'redirects to a sandbox': response => response.writeHead(302, { location: '/sandbox' }).end(),
  'sends nothing': response => response.socket?.destroy(),
  'never responds': () => undefined,
  'never ends': response => response.writeHead(200).write('{"service":"callyard sandbox","teamId":"team-1"'),
}

/** A service on loopback that is not a sandbox: as one at the other end of `ssh -L`. */
async function loopbackService(respond: (response: ServerResponse) => unknown) {
  const calls: string[] = []
  const server = createServer((incoming, response) => {
    if (incoming.url === '/sandbox') return void sendJson(response, 200, identity)
    if (incoming.method === 'GET') return void respond(response)
    calls.push(incoming.url ?? '')
    sendJson(response, 200, { sid: 'CC-1' })
  })
  const { origin } = await listenOnLoopback(server)
  return { calls, cli: await testCli({}, { env: { CALLYARD_BASE_URL: origin } }) }
}

test.each(Object.entries(others))(
  'asks before a call through a service on loopback that %s; a no places no call',
  async (_, respond) => {
    const { calls, cli } = await loopbackService(respond)
    cli.type('n')
    expect(await cli.run(...start)).toMatchObject({
      exitCode: 130,
      stdout: '',
      stderr: expect.stringContaining('no call was placed'),
    })
    expect(calls).toEqual([])
  },
)

test('a script at a service on loopback is not told that no phone rings', async () => {
  const { calls, cli } = await loopbackService(response => response.writeHead(404).end())
  const { exitCode, stdout } = await cli.run(...start, '--yes')
  expect({ exitCode, calls }).toEqual({ exitCode: 0, calls: [placed] })
  expect(stdout).not.toContain('no phone rings')
})

test('--follow warns that a service on loopback may run elsewhere and not reach the listener', async () => {
  const { cli } = await loopbackService(response => response.writeHead(404).end())
  await writeFile(join(cli.folder, 'desk.yaml'), 'name: Desk\n')
  cli.type('n')
  const { exitCode, stderr } = await cli.run(...start, '--assistant', 'desk.yaml', '--follow')
  expect(exitCode).toBe(130)
  expect(stderr).toContain('is not a sandbox; it may not reach a listener on this machine')
})

describe('api POST to a path that places calls', () => {
  test.each([
    placed,
    `${placed}/`,
    `${placed}?x=1`,
    `${placed}/connect?x=1`,
    '/calls//v1/conversations',
    '/calls/v1/conversations//connect//',
    '/calls/v1/conversation%73',
    '/calls%2Fv1%2fconversations%2F',
    '/%zz%2F../calls/v1/conversations',
    '/x%2F..%2F/calls/v1/conversations',
    '/Calls/V1/CONVERSATION%53/?x=1',
  ])('%s asks first', async path => {
    const { calls, cli } = await loopbackService(response => response.writeHead(404).end())
    cli.type('n')
    expect(await cli.run('api', 'POST', path, '--body', '{}')).toMatchObject({ exitCode: 130, stdout: '' })
    expect(calls).toEqual([])
  })

  test.each([
    ['with --yes', [placed, '--yes']],
    ['to another path', ['/assistants/v1/tools']],
    ['to a path with an invalid escape', ['/assistants/v1/%zz']],
  ])('not %s', async (_, argv) => {
    const { calls, cli } = await loopbackService(response => response.writeHead(404).end())
    cli.type('never asked')
    expect(await cli.run('api', 'POST', ...argv)).toMatchObject({ exitCode: 0 })
    expect(calls).toHaveLength(1)
  })
})

test('the service is described by the profile it is from', async () => {
  const cli = await testCli({}, { env: { CALLYARD_BASE_URL: undefined } })
  const add = ['profile', 'add', 'bikes', '--base-url', cli.baseUrl, '--api-key-stdin']
  await cli.runWith({ input: 'key-of-the-test' }, ...add)
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  const { stdout } = await cli.run(...start, '--yes', '--profile', 'bikes')
  expect(stdout).toBe('Call CC-1 placed +12025550100 → +12025550123\non bikes\n')
})
