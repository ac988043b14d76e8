import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { postEvent } from '../../../src/events/forward/index.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { certificate, privateKey } from '../../service/api/certificate.ts'

async function serve(listener: RequestListener): Promise<string> {
  return `${(await listenOnLoopback(createServer(listener))).origin}/hook`
}

function send(url: string, more: Partial<Parameters<typeof postEvent>[0]> = {}) {
  return postEvent({
    url,
    body: '{"message":{"type":"x"}}',
    contentType: 'application/json',
    timeout: 10_000,
    signal: new AbortController().signal,
    clock: realClock,
    ...more,
  })
}

test('sends the bytes, the content type and the headers; a repeated name overrides', async () => {
  const got: { body: string; headers: Record<string, unknown> }[] = []
  const url = await serve(async (request, response) => {
    got.push({ body: await text(request), headers: request.headers })
    response.writeHead(202).end('fine')
  })
  const body = '{"a":"é\u2028\ud83d\ude00"}'
  expect(await send(url, { body, headers: { 'X-Token': 't', 'Content-Type': 'text/plain' } })).toEqual({
    status: 202,
    milliseconds: expect.any(Number),
    body: 'fine',
  })
  expect(got[0]).toMatchObject({
    body,
    headers: {
      'x-token': 't',
      'content-type': 'text/plain',
      'content-length': String(Buffer.byteLength(body)),
    },
  })
})

test('treats 101 as a response, although no upgrade was requested', async () => {
  const url = await serve((_, response) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
  })
  expect(await send(url)).toEqual({ status: 101, milliseconds: expect.any(Number), body: '' })
})

test('a server whose certificate is not trusted has failed, and is not waited for', async () => {
  const server = createTlsServer({ cert: certificate, key: privateKey }, (_, response) => response.end())
  const { port } = new URL((await listenOnLoopback(server)).origin)
  expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({
    failure: { reason: expect.stringContaining('CERT'), unsent: false },
  })
})

test('leaves no connection behind if the response precedes the event', async () => {
  const server = createTcpServer(socket => {
    // Neither reads on nor closes: a client that waited for its last byte to be taken would wait for ever.
    socket
      .on('error', () => {})
      .once('data', () => {
        socket.pause()
        socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig')
      })
    onTestFinished(() => void socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const body = 'x'.repeat(32 * 1024 ** 2)
  const sockets = () => process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length
  const before = sockets()
  expect(await send(`http://127.0.0.1:${port}/`, { body })).toMatchObject({ status: 413, body: 'big' })
  // One more is the server's.
  while (sockets() > before + 1) await new Promise(resolve => setImmediate(resolve))
})
