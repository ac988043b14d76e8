import { createServer } from 'node:https'
import { expect, test } from 'vitest'
import { listenOnLoopback } from '../../../helpers/loopback.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { startToolServer, type ToolServer } from '../../../helpers/tool-server.ts'
import { certificate, privateKey } from '../../../service/api/certificate.ts'

const day = '{"day":"2026-01-02"}'
const toolAt = (url: string, more = '') => `type: function
function:
  name: book
  parameters: { type: object, properties: { day: { type: string, format: date } }, required: [day] }
messages:
  - { type: request-start, content: One moment. }
  - { type: request-complete, content: Done. }
  - { type: request-failed, content: That did not work. }
server:
  url: ${url}
${more}`

/** The time-out of a tool is real time. */
async function desk({ url }: Pick<ToolServer, 'url'>, more = '', env: Record<string, string> = {}) {
  const cli = await testCli(
    { 'callyard.yaml': 'baseUrl: https://api.example.test\n', 'tools/book.yaml': toolAt(url, more) },
    { env },
  )
  const run = (...argv: string[]) => cli.runWith({ clock: realClock }, ...argv)
  return { ...cli, run }
}

test('sends the request of a call, and prints it with the response and the message', async () => {
  const server = await startToolServer({ json: { booked: true } })
  const cli = await desk(server, '  headers: { X-Shop: canal }\n')
  const { exitCode, stdout, stderr } = await cli.run('tool', 'try', 'book', '--args', day)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      headers: { 'x-shop': 'canal', 'content-type': 'application/json' },
      body: {
        message: {
          type: 'tool-call',
          call: { status: 'ongoing', userNumber: '+12025550123', assistantNumber: '+12025550100' },
          customer: { number: '+12025550123' },
          toolCall: { name: 'book', arguments: { day: '2026-01-02' } },
        },
      },
    },
  ])
  expect(stdout).toContain(`POST ${server.url} (within 20 s)\nx-shop: canal\n`)
  expect(stdout).toMatch(
    /HTTP 200 after \d+ ms\n\{\n {2}"booked": true\n\}\n\nassistant {2}One moment\.\nassistant {2}Done\.\n$/,
  )
  expect(cli.requests).toEqual([])
})

test('--json contains the request, the response and what the model receives', async () => {
  const server = await startToolServer({ json: { booked: true } })
  const cli = await desk(server)
  const shown = JSON.parse((await cli.run('tool', 'try', 'tools/book.yaml', '--args', day, '--json')).stdout)
  expect(shown).toMatchObject({
    tool: 'book',
    file: 'tools/book.yaml',
    async: false,
    request: { method: 'POST', url: server.url, timeoutSeconds: 20 },
    answer: { status: 200, milliseconds: expect.any(Number), body: { booked: true } },
    said: [{ text: 'One moment.' }, { text: 'Done.' }],
    content: '{"booked":true}',
  })
  expect(shown.request.body).toEqual(server.requests[0]?.body)
})

test('--dry-run shows the request and sends nothing, even for an example URL', async () => {
  const server = await startToolServer()
  const cli = await desk(server)
  const { exitCode, stdout } = await cli.run('tool', 'try', 'book', '--args', day, '--dry-run')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('"day": "2026-01-02"')
  expect(stdout).toContain('Nothing was sent: --dry-run.')
  expect(server.requests).toEqual([])
  const example = await desk({ url: 'https://shop.example.com/book' })
  expect(await example.run('tool', 'try', 'book', '--args', day, '--dry-run')).toMatchObject({ exitCode: 0 })
  const sent = await example.run('tool', 'try', 'book', '--args', day)
  expect(sent).toMatchObject({ exitCode: 3, stdout: '' })
  expect(sent.stderr).toContain('shop.example.com is an example address; nothing was sent')
})

test.each([
  ['{}', 3, "must have required property 'day'"],
  ['{"day": "Friday"}', 3, 'day must match format "date"'],
  ['[1]', 3, '--args is not a JSON object'],
  ['{', 2, '--args is not JSON'],
  ['@none.json', 3, 'none.json: error: no such file'],
])('arguments %s: %i, and nothing is sent', async (given, exitCode, words) => {
  const server = await startToolServer()
  const cli = await desk(server)
  const result = await cli.run('tool', 'try', 'book', '--args', given)
  expect(result).toMatchObject({ exitCode, stdout: '' })
  expect(result.stderr).toContain(words)
  expect(server.requests).toEqual([])
})

test.each([
  [{ status: 500 }, 8, 'its server responded 500'],
  [{ text: '<html>hello' }, 8, 'its server responded 200 with a page'],
  ['reset', 6, 'its server failed'],
] as const)('%j: the assistant says that it failed', async (answer, exitCode, words) => {
  const server = await startToolServer(answer)
  const cli = await desk(server)
  const result = await cli.run('tool', 'try', 'book', '--args', day)
  expect(result).toMatchObject({ exitCode })
  expect(result.stdout).toContain('assistant  That did not work.')
  expect(result.stderr).toContain(words)
  expect(server.requests).toHaveLength(1)
})

test('an untrusted certificate means that nothing was sent, with a hint to the variable', async () => {
  const requests: unknown[] = []
  const server = createServer({ cert: certificate, key: privateKey }, ({ url }) => void requests.push(url))
  const { origin } = await listenOnLoopback(server)
  const cli = await desk({ url: origin.replace('http:', 'https:') })
  const { exitCode, stderr } = await cli.run('tool', 'try', 'book', '--args', day)
  expect(exitCode).toBe(6)
  expect(stderr).toContain('hint: nothing was sent: ')
  expect(stderr).toContain('NODE_EXTRA_CA_CERTS')
  expect(requests).toEqual([])
})

test('tells the model that an asynchronous tool was accepted, and waits for its result', async () => {
  const server = await startToolServer({ status: 500 })
  const cli = await desk(server, 'async: true\n')
  const result = await cli.run('tool', 'try', 'book', '--args', day, '--json')
  expect(result).toMatchObject({ exitCode: 8 })
  expect(JSON.parse(result.stdout)).toMatchObject({
    async: true,
    content: '{"status":"accepted"}',
    failure: expect.stringContaining('responded 500'),
    said: [{ text: 'One moment.' }, { text: 'That did not work.' }],
  })
})

test('never shows values from the environment or keys, even if the server returns them', async () => {
  const server = await startToolServer(({ headers }) => ({
    json: { echo: headers['x-token'], login: headers.authorization },
  }))
  const secrets = '  headers: { X-Token: "${env:SHOP_TOKEN}", Authorization: Bearer written-key }\n'
  const cli = await desk({ url: `${server.url}/\${env:SHOP_TOKEN}?key=1` }, secrets, {
    SHOP_TOKEN: 's3cret-value',
  })
  for (const more of [['--json'], []]) {
    const { exitCode, stdout, stderr } = await cli.run('tool', 'try', 'book', '--args', day, ...more)
    expect(exitCode).toBe(0)
    expect(stdout + stderr).not.toMatch(/s3cret-value|written-key|key=1/)
  }
  expect(server.requests[0]).toMatchObject({
    path: '/tool/s3cret-value?key=1',
    headers: { 'x-token': 's3cret-value', authorization: 'Bearer written-key' },
  })
})

test('a person agrees to what the file uses before it is sent', async () => {
  const cli = await desk({ url: 'http://tools.acme.test.invalid-host.io/x' })
  cli.type('n')
  const result = await cli.run('tool', 'try', 'book', '--args', day)
  expect(result).toMatchObject({ exitCode: 130, stdout: '' })
  expect(result.stderr).toContain('tools.acme.test.invalid-host.io')
})

test('tool without a server, and unknown name', async () => {
  const cli = await testCli({ 'tool.yaml': 'type: function\nfunction: { name: book }\n' })
  const result = await cli.run('tool', 'try', 'tool.yaml')
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toContain('tool book has no server.url; nothing was sent')
  expect(await cli.run('tool', 'try', 'bok.yaml')).toMatchObject({ exitCode: 3, stdout: '' })
  expect(await cli.run('tool', 'try', 'bok')).toMatchObject({ exitCode: 2, stdout: '' })
})

test('Ctrl-C ends the request and reports that it may have been received', async () => {
  const server = await startToolServer('hang')
  const cli = await desk(server)
  const stop = new AbortController()
  const running = cli.runWith(
    { clock: realClock, signal: stop.signal },
    ...['tool', 'try', 'book', '--args', day],
  )
  await server.received(1)
  stop.abort()
  const result = await running
  expect(result).toMatchObject({ exitCode: 130, stdout: '' })
  expect(result.stderr).toContain('Cancelled; the tool’s server may have received the request')
})
