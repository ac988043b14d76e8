import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventFailure, EventResponse } from '../../src/forward/post-event.ts'
import { type SendRecordedOptions, sendRecorded } from '../../src/forward/send-recorded.ts'
import { createDeferred } from '../../src/lib/queue.ts'
import type { SelectedEvent } from '../../src/recordings/select-events.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { refusingOrigin } from '../helpers/ports.ts'
import { patientClock } from '../webhook/patient-clock.ts'

test('sends each body unchanged with its content type and no other header of the recording', async () => {
  const server = await startServer()
  const body = ' {"ü": "\\u00fc"}\n'
  const headers = { 'content-type': 'application/json; charset=utf-8', authorization: '****', 'x-id': '1' }
  await send([event(1, 'c1', { body, headers })], { url: server.url, headers: { 'X-Token': 't' } })
  expect(server.requests).toMatchObject([
    { body, headers: { 'content-type': 'application/json; charset=utf-8', 'x-token': 't' } },
  ])
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  expect(server.requests[0]?.headers).not.toHaveProperty('x-id')
})

test('sends the events of one call in order, and those of several concurrently', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('c1', 'c2', null), { minLength: 1, maxLength: 12 }),
      fc.scheduler(),
      async (calls, scheduler) => {
        const server = await startServer(async (_, request) => {
          await scheduler.schedule(Promise.resolve(), request.body)
          return 200
        })
        const answered: number[] = []
        const ended = send(
          calls.map((callId, index) => event(index, callId)),
          { url: server.url, onSent: ({ number }) => answered.push(number) },
        )
        while (answered.length < calls.length) {
          if (scheduler.count() > 0) await scheduler.waitOne()
          await new Promise<void>(resolve => setImmediate(resolve))
        }
        await ended
        const arrived = server.requests.map(({ body }) => Number(body))
        for (const call of new Set(calls)) {
          const ofCall = (numbers: number[]) => numbers.filter(number => calls[number] === call)
          const inOrder = calls.flatMap((each, index) => (each === call ? [index] : []))
          expect(ofCall(arrived)).toEqual(inOrder)
          expect(ofCall(answered)).toEqual(inOrder)
        }
        expect(server.mostAtOnce).toBeLessThanOrEqual(new Set(calls).size)
        await server.close()
      },
    ),
    { numRuns: 15 },
  )
})

test('an unanswered call does not delay others', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const server = await startServer(async (_, { body }) => {
    if (body === '1') await held
    return 200
  })
  const done: number[] = []
  await send([event(1, 'c1'), event(2, 'c1'), event(3, 'c2')], {
    url: server.url,
    onSent: ({ number }) => {
      done.push(number)
      if (number === 3) release()
    },
  })
  expect(done).toEqual([3, 1, 2])
})

test('sixty requests under way at once warn of no leak', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => void warnings.push(name)
  process.on('warning', onWarning)
  const all = createDeferred()
  const server = await startServer(async () => {
    if (server.requests.length === 60) all.resolve()
    await all.promise
    return 200
  })
  await send(
    Array.from({ length: 60 }, (_, index) => event(index, `c${index}`)),
    { url: server.url },
  )
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('retries a refused connection three times, then once per event', async () => {
  const clock = eagerClock()
  const answers = await send([event(1, 'c1'), event(2, 'c1')], { url: await refusingOrigin(), clock })
  expect(answers).toMatchObject([
    { failure: { reason: 'connection refused' } },
    { failure: { reason: 'connection refused' } },
  ])
  expect(clock.slept).toEqual([500, 1000, 2000])
})

test('does not follow a failure or a redirect with another request', async () => {
  const statuses = [500, 429, 302, 204]
  const server = await startServer(async response => {
    response.setHeader('location', '/elsewhere')
    response.setHeader('retry-after', '1')
    return statuses[server.requests.length - 1] ?? 200
  })
  const answers = await send(
    statuses.map((_, index) => event(index, 'c1')),
    { url: server.url },
  )
  expect(answers).toMatchObject(statuses.map(status => ({ status })))
  expect(server.requests).toHaveLength(statuses.length)
})

test('an error of the source ends it after current requests got responses', async () => {
  const server = await startServer()
  const done: number[] = []
  async function* broken() {
    yield event(1, 'c1')
    throw new Error('the disk is gone')
  }
  await expect(
    sendRecorded(broken(), { ...standard(), url: server.url, onSent: ({ number }) => done.push(number) }),
  ).rejects.toThrow('the disk is gone')
  expect(done).toEqual([1])
})

test('the signal ends it', async () => {
  const ending = new AbortController()
  const server = await startServer(async () => {
    ending.abort('SIGINT')
    await new Promise(() => {})
    return 200
  })
  await expect(
    send([event(1, 'c1'), event(2, 'c1')], { url: server.url, signal: ending.signal }),
  ).rejects.toMatchObject({ kind: 'cancelled' })
  expect(server.requests).toHaveLength(1)
})

function event(
  number: number,
  callId: string | null,
  { body = String(number), headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): SelectedEvent {
  const recorded = { kind: 'recorded', version: 1, at: '2026-03-01T10:00:00.000Z', headers, body } as const
  return { recorded, number, arrived: 0, events: [], callId }
}

function standard(): Omit<SendRecordedOptions, 'url'> {
  return { timeout: 20_000, clock: eagerClock(), signal: new AbortController().signal, onSent() {} }
}

/** Outcomes of the events, in order. */
async function send(
  events: readonly SelectedEvent[],
  { onSent, ...options }: Partial<SendRecordedOptions> & Pick<SendRecordedOptions, 'url'>,
): Promise<(EventResponse | EventFailure)[]> {
  const answers: (EventResponse | EventFailure)[] = []
  async function* source() {
    yield* events
  }
  await sendRecorded(source(), {
    ...standard(),
    ...options,
    onSent(sent, answer) {
      answers.push(answer)
      onSent?.(sent, answer)
    },
  })
  return answers
}

/** Sleeps end at once. */
function eagerClock() {
  const { slept, now } = patientClock()
  return { slept, now, sleep: async (milliseconds: number) => void slept.push(milliseconds) }
}

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function startServer(
  answer: (response: ServerResponse, request: Received) => Promise<number> = async () => 200,
) {
  const requests: Received[] = []
  let atOnce = 0
  let mostAtOnce = 0
  const server = createServer(async (request, response) => {
    atOnce++
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    const received = { headers: request.headers, body: await text(request) }
    requests.push(received)
    const status = await answer(response, received)
    atOnce--
    response.writeHead(status).end('{"message":"ok"}')
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    url: `${origin}/hook`,
    requests,
    close,
    get mostAtOnce() {
      return mostAtOnce
    },
  }
}
