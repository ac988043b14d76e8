import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendRecorded } from '../../../src/events/forward/index.ts'
import type { TailEvent } from '../../../src/events/receive/index.ts'
import { loadRecorder, playRecording, readRecording } from '../../../src/events/recordings/index.ts'
import { conversationUpdate, message, statusUpdate } from '../../helpers/events.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { openHttpTail } from '../../helpers/http-tail.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { readAll, readTranscripts } from '../../helpers/recordings.ts'
import { startTarget } from '../../helpers/target-server.ts'
import { startForwarding, to } from '../forward/forwarding.ts'
import { invalidByte, type OddBody, oddBodies } from './odd-bodies.ts'

const { openRecorder } = await loadRecorder()

/** Each body in the form that its number has in the list, with an event of its own. */
const bodies: readonly OddBody[] = [
  ...oddBodies({}).map((_, index) => {
    const event = conversationUpdate('CC-1', message(`m${index}`, `said ${index}: Grüße`))
    return oddBodies(event)[index] as OddBody
  }),
  invalidByte(conversationUpdate('CC-1', message('invalid', 'a#b'))),
  {
    name: 'an array of a whole call',
    headers: {},
    body: Buffer.from(
      JSON.stringify([
        statusUpdate('CC-2', 'ongoing'),
        conversationUpdate('CC-2', message('a', 'one')),
        statusUpdate('CC-2', 'finished'),
      ]),
    ),
    forms: ['list'],
  },
]
const said = [...bodies.slice(0, -2).map((_, index) => `said ${index}: Grüße`), 'a\ufffdb', 'one']

test('bodies of every form are shown, recorded, forwarded and replayed, byte by byte', async () => {
  const target = await startTarget()
  const path = join(await temporaryFolder(), 'calls.ndjson')
  const recorder = await openRecorder({ path, clock: realClock, onEvent() {} })
  const { forwarder } = await startForwarding({ targets: [to(target.url)], clock: realClock })
  const tail = await openHttpTail({
    host: '127.0.0.1',
    port: 0,
    path: '/',
    clock: realClock,
    recorder,
    forwarder,
  })
  const shown: TailEvent[] = []
  const reading = (async () => {
    for await (const event of tail.events) shown.push(event)
  })()
  for (const { name, body, headers } of bodies)
    expect({ name, status: await send(tail.url, body, headers) }).toEqual({ name, status: 200 })
  await tail.close()
  await reading
  await recorder.close()
  await target.arrived(bodies.length)

  expect(shown.flatMap(event => (event.kind === 'message' ? event.text : []))).toEqual(said)
  expect(shown.flatMap(event => (event.kind === 'body-form' ? event.form : []))).toEqual([
    'byte-order-mark',
    'charset',
    'compressed',
    'list',
    'form',
    'invalid-utf-8',
  ])
  expectSame(target.arrivals)

  const encodings = (await readAll(path)).map(item => item.kind === 'recorded' && item.encoding)
  expect(new Set(encodings)).toEqual(new Set([undefined, 'base64']))
  const { calls, skipped, unreadable } = await readTranscripts(readRecording(path))
  expect({ skipped, unreadable }).toEqual({ skipped: [], unreadable: 0 })
  expect(calls.flatMap(({ messages }) => messages.map(({ text }) => text))).toEqual(said)
  expect(calls.map(({ callId, ended }) => [callId, ended])).toEqual([
    ['CC-1', false],
    ['CC-2', true],
  ])

  const { signal } = new AbortController()
  const recording = { isRereadable: true, read: () => readRecording(path) }
  const play = { speed: Number.POSITIVE_INFINITY, clock: realClock, signal, onSkipped() {} }
  const sending = { url: target.url, timeout: 20_000, clock: realClock, signal, onSent() {} }
  await sendRecorded(playRecording(recording, play), sending)
  expectSame(target.arrivals.slice(bodies.length))
  await sendRecorded(
    playRecording(recording, { ...play, calls: ['CC-2'], types: ['status-update'] }),
    sending,
  )
  expect(target.arrivals.slice(2 * bodies.length).map(({ body }) => body)).toEqual([bodies.at(-1)?.body])
})

test('an array is forwarded once to each target that gets one of its types', async () => {
  const [all, statuses, others] = [await startTarget(), await startTarget(), await startTarget()]
  const { forwarder } = await startForwarding({
    targets: [to(all.url), to(statuses.url, 'status-update'), to(others.url, 'speech-update')],
    clock: realClock,
  })
  const tail = await openHttpTail({ host: '127.0.0.1', port: 0, path: '/', clock: realClock, forwarder })
  const body = Buffer.from(
    JSON.stringify([conversationUpdate('c1', message('m1', 'a')), statusUpdate('c1', 'ongoing')]),
  )
  expect(await send(tail.url, body, {})).toBe(200)
  await all.arrived(1)
  await statuses.arrived(1)
  await tail.close()
  expect([all, statuses, others].map(({ arrivals }) => arrivals.length)).toEqual([1, 1, 0])
})

/** Calls go side by side: their order is not that of the bodies. */
function expectSame(received: readonly { headers: IncomingHttpHeaders; body: Buffer }[]): void {
  expect(received).toHaveLength(bodies.length)
  for (const { name, body, headers } of bodies) {
    const found = received.find(each => each.body.equals(body) && isSameContent(each.headers, headers))
    expect(found, name).toBeDefined()
  }
}

function isSameContent(received: IncomingHttpHeaders, sent: Readonly<Record<string, string>>): boolean {
  return (
    received['content-type'] === (sent['content-type'] ?? 'application/json') &&
    received['content-encoding'] === sent['content-encoding']
  )
}

/** node:http, which adds no content type of its own. */
function send(
  url: string,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers }, response => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject).end(body)
  })
}
