import { readdir } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../helpers/every-case.ts'
import { type Answer, startTarget } from '../../helpers/target-server.ts'
import { eventOf, forward, idOf, startForwarding, to, until } from './forwarding.ts'

const answers = {
  ok: response => response.end('{}'),
  500: response => response.writeHead(500).end('broken'),
  reset: response => response.socket?.resetAndDestroy(),
  close: response => response.socket?.destroy(),
  'half an answer': response => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('x', () => response.socket?.destroy())
  },
  'not HTTP': response => response.socket?.end('220 ready\r\n'),
  slow: response => {
    let turns = 20
    const turn = () => (turns-- > 0 ? setImmediate(turn) : response.end('{}'))
    turn()
  },
} satisfies Record<string, Answer>

const eventSteps = fc.record({
  callId: fc.constantFrom('a', 'b', 'c', 'd', null),
  answer: fc.constantFrom(...(Object.keys(answers) as (keyof typeof answers)[])),
  /** Stops listening when this one arrives, for this many retries. */
  outage: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 8 }),
})

test('for any behavior of a target, sends a call’s events in order, one at a time, at most once per retry, and reports each', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(eventSteps, { minLength: 1, maxLength: 40 }),
      fc.constantFrom(0, 2000, undefined),
      fc.boolean(),
      fc.nat(2),
      async (steps, maxMemory, isDownFirst, retries) => {
        const underWay = new Set<string | null>()
        let overlapped = false
        const target = await startTarget((response, arrival) => {
          const { callId, number } = idOf(arrival)
          overlapped ||= underWay.has(callId)
          underWay.add(callId)
          const step = steps[number]
          if (step?.outage != null) void target.stop('may finish')
          // The client cannot know before that its request is over.
          response.on('finish', () => underWay.delete(callId))
          response.on('close', () => underWay.delete(callId))
          const answer: Answer = answers[step?.answer ?? 'ok']
          answer(response, arrival)
        })
        if (isDownFirst) await target.stop()
        const { forwarder, told, clock, folder } = await startForwarding({
          targets: [to(target.url)],
          retries,
          ...(maxMemory === undefined ? {} : { maxMemory }),
        })
        for (const [number, { callId }] of steps.entries()) forward(forwarder, eventOf(callId, number))
        let tries = 0
        await until(
          () => forwarder.left === 0,
          () => {
            clock.pass()
            const isDown = told('forward-down').length > told('forward-up').length
            if (isDown && clock.slept.length > tries + 2) {
              tries = clock.slept.length
              void target.start().catch(() => {})
            }
          },
        )
        const arrived = target.arrivals.map(idOf)
        expect(overlapped).toBe(false)
        for (const call of new Set(steps.map(({ callId }) => callId))) {
          const ofCall = arrived.filter(({ callId }) => callId === call).map(({ number }) => number)
          expect(ofCall).toEqual([...ofCall].sort((one, other) => one - other))
        }
        for (const number of steps.keys()) {
          expect(arrived.filter(each => each.number === number).length).toBeLessThanOrEqual(1 + retries)
        }
        const [totals] = (await forwarder.close(0)).targets
        expect(totals).toMatchObject({ undelivered: 0, lost: 0 })
        expect(totals?.failed).toBe(told('forward-failed').length)
        expect((totals?.delivered ?? 0) + (totals?.failed ?? 0)).toBe(steps.length)
        expect(arrived.length + told('forward-failed').length).toBeGreaterThanOrEqual(steps.length)
        expect(await readdir(folder)).toEqual([])
        await target.stop()
      },
    ),
    { numRuns: runs(6) },
  )
})
