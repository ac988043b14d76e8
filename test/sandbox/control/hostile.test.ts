import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../helpers/every-case.ts'
import { paths, startTestSandbox, type TestSandbox, tool } from '../../helpers/test-sandbox.ts'

const { tools } = paths

const routes = [
  ['GET', 'requests'],
  ['GET', 'calls'],
  ['GET', 'records'],
  ['GET', 'clock'],
  ['POST', 'clock'],
  ['GET', 'faults'],
  ['POST', 'faults'],
  ['DELETE', 'faults'],
  ['DELETE', 'faults/x'],
  ['POST', 'snapshot'],
  ['POST', 'restore'],
  ['POST', 'reset'],
  ['GET', 'worlds'],
  ['POST', 'worlds'],
  ['DELETE', 'worlds/x'],
] as const

const names = [
  ...['advance', 'freeze', 'pace', 'drop', '429', 'hang', 'times', 'call', 'path', 'scope', 'type'],
  ...['format', 'version', 'clock', 'ids', 'requests', 'entries', 'apiKey', 'teamId', 'seed', 'frozen'],
  '__proto__',
  'constructor',
]
/** Half of the inputs are what the routes take, the other half anything. */
const body = fc.oneof(
  fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constantFrom('2d', '1e9w', 'x', '', 'callyard-sandbox', '\u0000'),
      fc.jsonValue(),
    ),
    { maxKeys: 4 },
  ),
  fc.jsonValue(),
)
const query = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom('world', 'path', 'method', 'scope', 'call', 'id', 'x'), fc.string())
    .map(([name, value]) => `?${name}=${encodeURIComponent(value.toWellFormed())}`),
)

test('never responds with a failure of its own, and keeps working', async () => {
  const sandbox = await startTestSandbox()
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), query, body, async ([method, path], search, sent) => {
      const takesBody = method === 'POST'
      const { status, headers } = await sandbox.control(
        method,
        `${path}${search}`,
        takesBody ? JSON.stringify(sent) : undefined,
      )
      expect(status).toBeLessThan(500)
      if (status !== 200) expect(headers.get('content-type')).toBe('application/problem+json')
    }),
    { numRuns: runs(100) },
  )
  await worksOn(sandbox)
})

test('rejects a body that is not JSON, too deep, too large, unfinished or of another type', async () => {
  const sandbox = await startTestSandbox()
  const post = (path: string, sent: string, headers?: Record<string, string>) =>
    sandbox.control('POST', path, sent, headers)
  for (const path of ['clock', 'faults', 'restore', 'worlds']) {
    expect((await post(path, '{"a"')).status).toBe(400)
    expect((await post(path, `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)).status).toBe(422)
    expect((await post(path, '{}', { 'content-type': 'text/plain' })).status).toBe(415)
  }
  const large = JSON.stringify({ advance: 'x'.repeat(11 * 1024 * 1024) })
  const refused = await post('clock', large).catch(() => ({ status: 413 }))
  expect(refused.status).toBe(413)
  const snapshot = JSON.stringify({ entries: 'x'.repeat(70 * 1024 * 1024) })
  expect((await post('restore', snapshot).catch(() => ({ status: 413 }))).status).toBe(413)
  await worksOn(sandbox)
})

test('ignores aborted requests and bytes that are not HTTP', async () => {
  const sandbox = await startTestSandbox()
  const heads = [
    'POST /__sandbox/restore HTTP/1.1\r\nHost: x y\r\n\r\n',
    'GET /__sandbox/%ff%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'GET /__sandbox/clock HTTP/1.0\r\n\r\n',
    `POST /__sandbox/restore HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${sandbox.controlToken}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    'nonsense\r\n\r\n',
  ]
  for (const head of heads) {
    const socket = connect(sandbox.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise<void>(resolve => socket.end(head, resolve))
    socket.destroy()
  }
  await worksOn(sandbox)
})

test('ten times the records, requests and faults: snapshot, restore and reset hold', async () => {
  const sandbox = await startTestSandbox()
  const faq = Array.from({ length: 10_000 }, (_, id) => ({ question: `${id}?`, answer: 'x'.repeat(100) }))
  await sandbox.first.resources.insertFaq('desk', faq)
  for (let added = 0; added < 1000; added += 1) sandbox.first.faults.add({ drop: 0.5, call: `CC-${added}` })
  const { body: saved } = await sandbox.control('POST', 'snapshot')
  await sandbox.control('POST', 'reset')
  expect((await sandbox.control('GET', 'records')).body.knowledgeBases).toEqual([])
  expect((await sandbox.control('POST', 'restore', saved)).status).toBe(200)
  expect(sandbox.first.snapshot()).toEqual(saved)
})

async function worksOn(sandbox: TestSandbox): Promise<void> {
  await sandbox.control('POST', 'reset')
  expect((await sandbox.send('POST', tools, tool)).status).toBe(200)
  expect((await sandbox.control('GET', 'records')).body.tools).toHaveLength(1)
  expect(sandbox.events.filter(({ kind }) => kind === 'warning')).toEqual([])
}
