import { expect, test } from 'vitest'
import { createCircuitBreaker } from '../../../src/events/forward/circuit-breaker.ts'
import { patientClock } from '../../helpers/patient-clock.ts'
import { numbers } from './forwarding.ts'

test('while it is down, refusals of what was under way neither count nor let a second one try', async () => {
  const { changes, clock, send, settle } = start()
  const [first, second, third] = [send(), send(), send()]
  await first?.end('refused')
  const waiting = numbers(2).map(() => send())
  await second?.end('refused')
  const attempts = () => [first, second, third, ...waiting].map(sender => sender?.attempts)
  expect(attempts()).toEqual([1, 1, 1, 0, 0])
  clock.pass()
  await settle()
  expect(attempts()).toEqual([2, 1, 1, 0, 0])
  await third?.end('refused')
  clock.pass()
  await settle()
  expect(attempts()).toEqual([2, 1, 1, 0, 0])
  expect(clock.slept).toEqual([250])
  await first?.end('refused')
  clock.pass()
  await settle()
  expect(attempts()).toEqual([2, 1, 1, 1, 0])
  await waiting[0]?.end('answered')
  expect(attempts()).toEqual([3, 2, 2, 1, 1])
  expect(clock.slept).toEqual([250, 500])
  expect(changes).toEqual([true, false])
})

test('ignores a rejection from before the last outage, and restarts the delays after a new one', async () => {
  const { changes, clock, send, settle } = start()
  const [first, stale] = [send(), send()]
  await first.end('refused')
  clock.pass()
  await settle()
  await first.end('answered')
  await stale.end('refused')
  expect(changes).toEqual([true, false])
  expect(stale.attempts).toBe(2)
  await send().end('refused')
  expect(changes).toEqual([true, false, true])
  expect(clock.slept).toEqual([250, 250])
})

test('a response to a request from before an outage does not mean that the target is up', async () => {
  const { changes, send } = start()
  const [first, second] = [send(), send()]
  await first.end('refused')
  await second.end('answered')
  const third = send()
  expect(third.attempts).toBe(0)
  expect(changes).toEqual([true])
})

test('a target with nothing to send lets the next one probe and report', async () => {
  const { changes, clock, send, settle } = start()
  const senders = numbers(4).map(() => send())
  const [first, second, third] = senders
  await first?.end('refused')
  for (const each of [second, third]) await each?.end('refused')
  clock.pass()
  await settle()
  await first?.end(undefined)
  expect(senders.map(({ attempts }) => attempts)).toEqual([2, 2, 1, 1])
  await second?.end('answered')
  expect(senders.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 1])
  expect(changes).toEqual([true, false])
  expect(clock.slept).toEqual([250])
})

test('a sender with nothing to send, when no other waits, leaves the try to the next one who comes', async () => {
  const { changes, clock, send, settle } = start()
  const first = send()
  await first.end('refused')
  clock.pass()
  await settle()
  await first.end(undefined)
  const next = send()
  await settle()
  await next.end('answered')
  expect(changes).toEqual([true, false])
  expect(clock.slept).toEqual([250])
})

test('retries now if hurried, and the delays continue afterwards', async () => {
  const { breaker, clock, send, settle, changes } = start()
  const [first, second] = [send(), send()]
  await first.end('refused')
  await second.end('refused')
  expect([first.attempts, second.attempts]).toEqual([1, 1])
  breaker.hurry()
  await settle()
  expect([first.attempts, second.attempts]).toEqual([2, 1])
  await first.end('refused')
  expect(second.attempts).toBe(1)
  clock.pass()
  await settle()
  await second.end('answered')
  expect(changes).toEqual([true, false])
})

test('rejects all waiting and new callers with its reason at the end', async () => {
  const { ending, send, settle } = start()
  const senders = [send(), send()]
  for (const sender of senders) await sender.end('refused')
  ending.abort('over')
  senders.push(send())
  await settle()
  expect(senders.map(({ error }) => error)).toEqual(['over', 'over', 'over'])
})

function start() {
  const clock = patientClock()
  const ending = new AbortController()
  const changes: boolean[] = []
  const breaker = createCircuitBreaker({
    clock,
    signal: ending.signal,
    onChanged: isDown => changes.push(isDown),
  })
  const settle = () => new Promise<void>(resolve => setImmediate(resolve))
  return {
    breaker,
    ending,
    clock,
    changes,
    settle,
    /** Sends, and shows how often that was tried and why it failed. `end` says what came of the last attempt. */
    send() {
      let resolve: (outcome: 'refused' | 'answered' | undefined) => void = () => {}
      const sender = {
        attempts: 0,
        error: undefined as unknown,
        end(outcome: 'refused' | 'answered' | undefined) {
          resolve(outcome)
          return settle()
        },
      }
      const attempt = () => {
        sender.attempts++
        return new Promise<'refused' | 'answered' | undefined>(fulfil => {
          resolve = fulfil
        })
      }
      breaker.send(attempt).catch(error => {
        sender.error = error
      })
      return sender
    },
  }
}
