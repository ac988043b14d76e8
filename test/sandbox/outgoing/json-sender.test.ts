import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { createDeferred } from '../../../src/lib/queue.ts'
import { createJsonSender } from '../../../src/sandbox/outgoing/json-sender.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { realClock } from '../../helpers/real-clock.ts'

test.each([
  ['ada:p%40ss', 'ada:p@ss'],
  ['ada:100%', 'ada:100%'],
])('sends the login %s of a URL with its percent signs decoded', async (written, login) => {
  const got: unknown[] = []
  const { origin } = await listenOnLoopback(
    createServer((request, response) => {
      got.push(request.headers.authorization)
      response.end('{}')
    }),
  )
  const sender = createJsonSender({ clock: realClock, maxResponseBytes: 1000 })
  onTestFinished(() => sender.close())
  const url = origin.replace('//', `//${written}@`)
  expect(await sender.post({ url, headers: {}, timeoutSeconds: 10 }, () => '{}')).toMatchObject({
    status: 200,
  })
  expect(got).toEqual([`Basic ${btoa(login)}`])
})

test('a compressed response is decoded within the bound, although none was asked for', async () => {
  const { origin } = await listenOnLoopback(
    createServer(({ url }, response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(url === '/plain' ? 'not compressed' : gzipSync('x'.repeat(Number(url?.slice(1)))))
    }),
  )
  const sender = createJsonSender({ clock: realClock, maxResponseBytes: 1000 })
  onTestFinished(() => sender.close())
  const post = (path: string) =>
    sender.post({ url: `${origin}/${path}`, headers: {}, timeoutSeconds: 10 }, () => '{}')
  expect(await post('1000')).toEqual({ status: 200, text: 'x'.repeat(1000), isCut: false })
  expect(await post('1001')).toEqual({ status: 200, text: '', isCut: true })
  expect(await post('plain')).toEqual({ status: 200, text: 'not compressed', isCut: false })
})

test.each([2, 100, 64 * 1024, 2 * 1024 ** 2, 9 * 1024 ** 2])(
  'of a body of %d bytes that breaks off sends the receiver the first half',
  async size => {
    let got = 0
    const brokenOff = createDeferred()
    const { origin } = await listenOnLoopback(
      createServer(request => {
        request.on('data', (chunk: Buffer) => {
          got += chunk.length
          // A receiver that reads in its own time.
          request.pause()
          setImmediate(() => request.resume())
        })
        request.on('error', () => brokenOff.resolve())
      }),
    )
    const sender = createJsonSender({ clock: realClock, maxResponseBytes: 1000 })
    onTestFinished(() => sender.close())
    const target = { url: origin, headers: {}, timeoutSeconds: 10 }
    expect(await sender.breakOff(target, () => 'x'.repeat(size))).toBeUndefined()
    await brokenOff.promise
    expect(got).toBe(size / 2)
  },
)

test('a receiver that reads nothing of a large body is given up after its time', async () => {
  const { origin } = await listenOnLoopback(createServer(request => void request.pause()))
  const sender = createJsonSender({ clock: realClock, maxResponseBytes: 1000 })
  onTestFinished(() => sender.close())
  const target = { url: origin, headers: {}, timeoutSeconds: 0.2 }
  expect(await sender.breakOff(target, () => 'x'.repeat(64 * 1024 ** 2))).toEqual({
    failure: 'no response within 0.2 seconds',
    unsent: false,
  })
})
