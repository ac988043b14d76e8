import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../helpers/manual-clock.ts'
import { startTestSandbox, type TestSandbox } from '../../helpers/test-sandbox.ts'

test('unfinished bodies hold at most 64 MB; the largest gets 503 and other requests work as usual', async () => {
  const sandbox = await startTestSandbox()
  const first = await Promise.race(
    Array.from({ length: 8 }, () => {
      const socket = begin(sandbox, 'content-length: 10000000')
      socket.write(Buffer.alloc(9_000_000, 'x'))
      return answerOf(socket)
    }),
  )
  expect(first).toMatch(/^HTTP\/1\.1 503 /)
  expect(first).toMatch(/\r\nretry-after: 1\r\n/i)
  expect(first).toContain('"title":"Service unavailable"')
  expect(await sandbox.send('POST', '/assistants/v1/tools', { type: 'function' })).toMatchObject({
    status: 200,
  })
})

test('responds with 408 to a body slower than 16 KB per second', async () => {
  const clock = manualClock()
  const sandbox = await startTestSandbox({ clock })
  const socket = begin(sandbox, 'content-length: 100')
  socket.write('{')
  const answer = answerOf(socket)
  // Its head has been read when a later request gets a response.
  await sandbox.send('POST', '/assistants/v1/tools', { type: 'function' })
  await clock.advance(11_000)
  expect(await answer).toMatch(/^HTTP\/1\.1 408 .*"title":"Request timeout"/s)
})

test('responds to a body without bytes that came with its head', async () => {
  const socket = begin(
    await startTestSandbox(),
    'transfer-encoding: chunked\r\nconnection: close',
    '0\r\n\r\n',
  )
  expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 400 .*the body is empty/s)
})

function begin({ port, apiKey }: TestSandbox, headers: string, body = ''): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(
    `POST /assistants/v1/tools HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`,
  )
  return socket
}

/** Data until the connection ends. */
async function answerOf(socket: Socket): Promise<string> {
  return await new Promise(resolve => {
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
  })
}
