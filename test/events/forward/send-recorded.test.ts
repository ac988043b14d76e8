import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EventFailure, type EventResponse, sendRecorded } from '../../../src/events/forward/index.ts'
import type { SelectedEvent } from '../../../src/events/recordings/index.ts'
import { createDeferred } from '../../../src/lib/queue.ts'
import { runs } from '../../helpers/every-case.ts'
import { patientClock } from '../../helpers/patient-clock.ts'
import { refusingOrigin } from '../../helpers/ports.ts'
import { holding, startTarget } from '../../helpers/target-server.ts'

type SendRecordedOptions = Parameters<typeof sendRecorded>[1]

test('sends each body unchanged with the headers of the recording that are not masked', async () => {
  const { url, arrivals } = await startTarget()
  const body = ' {"ü": "\\u00fc"}\n'
  const headers = { 'content-type': 'application/json; charset=utf-8', authorization: '****', 'x-id': '1' }
  await send([event(1, 'c1', { body, headers })], { url, headers: { 'X-Token': 't' } })
  expect(arrivals.map(arrival => arrival.body.toString())).toEqual([body])
  expect(arrivals[0]?.headers).toMatchObject({
    ...{ 'content-type': 'application/json; charset=utf-8', 'x-token': 't', 'x-id': '1' },
  })
  expect(arrivals[0]?.headers).not.toHaveProperty('authorization')
})

test('sends the events of one call in order, each after the response to the previous one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('c1', 'c2', null), { minLength: 1, maxLength: 12 }),
      fc.scheduler(),
      async (calls, scheduler) => {
        const underWay = new Set<string | null | undefined>()
        let overlapped = false
        const { url, arrivals, stop } = await startTarget(async (response, { body }) => {
          const call = calls[Number(body)]
          overlapped ||= underWay.has(call)
          underWay.add(call)
          await scheduler.schedule(Promise.resolve(), body.toString())
          underWay.delete(call)
          response.end('{}')
        })
        const answered: number[] = []
        const ended = send(
          calls.map((callId, index) => event(index, callId)),
          { url, onSent: ({ number }) => answered.push(number) },
        )
        while (answered.length < calls.length) {
          if (scheduler.count() > 0) await scheduler.waitOne()
          await new Promise<void>(resolve => setImmediate(resolve))
        }
        await ended
        const arrived = arrivals.map(({ body }) => Number(body))
        for (const call of new Set(calls)) {
          const ofCall = (numbers: number[]) => numbers.filter(number => calls[number] === call)
          const inOrder = calls.flatMap((each, index) => (each === call ? [index] : []))
          expect(ofCall(arrived)).toEqual(inOrder)
          expect(ofCall(answered)).toEqual(inOrder)
        }
        expect(overlapped).toBe(false)
        await stop()
      },
    ),
    { numRuns: runs(15) },
  )
})

test('an unanswered call does not delay others', async () => {
  const held = createDeferred()
  const { url } = await startTarget(async (response, { body }) => {
    if (body.toString() === '1') await held.promise
    response.end('{}')
  })
  const done: number[] = []
  await send([event(1, 'c1'), event(2, 'c1'), event(3, 'c2')], {
    url,
    onSent: ({ number }) => {
      done.push(number)
      if (number === 3) held.resolve()
    },
  })
  expect(done).toEqual([3, 1, 2])
})

test('sixty requests under way at once warn of no leak', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => void warnings.push(name)
  process.on('warning', onWarning)
  const answer = holding()
  const target = await startTarget(answer)
  const ended = send(
    Array.from({ length: 60 }, (_, index) => event(index, `c${index}`)),
    { url: target.url },
  )
  await target.arrived(60)
  answer.release()
  await ended
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
  const target = await startTarget(response => {
    const headers = { location: '/elsewhere', 'retry-after': '1' }
    response.writeHead(statuses[target.arrivals.length - 1] ?? 200, headers).end()
  })
  const answers = await send(
    statuses.map((_, index) => event(index, 'c1')),
    { url: target.url },
  )
  expect(answers).toMatchObject(statuses.map(status => ({ status })))
  expect(target.arrivals).toHaveLength(statuses.length)
})

test('an error of the source ends it after current requests got responses', async () => {
  const { url } = await startTarget()
  const done: number[] = []
  async function* broken() {
    yield event(1, 'c1')
    throw new Error('the disk is gone')
  }
  const onSent = ({ number }: SelectedEvent) => done.push(number)
  await expect(sendRecorded(broken(), { ...standard(), url, onSent })).rejects.toThrow('the disk is gone')
  expect(done).toEqual([1])
})

test('the signal ends it', async () => {
  const ending = new AbortController()
  const { url, arrivals } = await startTarget(() => ending.abort('SIGINT'))
  await expect(send([event(1, 'c1'), event(2, 'c1')], { url, signal: ending.signal })).rejects.toMatchObject({
    kind: 'cancelled',
  })
  expect(arrivals).toHaveLength(1)
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
