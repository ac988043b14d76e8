import { expect, test } from 'vitest'
import { createCircuitBreaker, type Permit } from '../../../src/webhook/forward/circuit-breaker.ts'
import { patientClock } from '../patient-clock.ts'
import { numbers } from './forwarding.ts'

test('while it is down, refusals of what was under way neither count nor let a second one try', async () => {
  const { outage, changes, clock, ask, settle } = start()
  const [first, second, third] = [await outage.permit(), await outage.permit(), await outage.permit()]
  first.refused()
  const turns = numbers(3).map(() => ask())
  await settle()
  second.refused()
  clock.pass()
  await settle()
  expect(turns.map(({ turn }) => turn !== undefined)).toEqual([true, false, false])
  third.refused()
  clock.pass()
  await settle()
  expect(turns.map(({ turn }) => turn !== undefined)).toEqual([true, false, false])
  expect(clock.slept).toEqual([250])
  turns[0]?.turn?.refused()
  clock.pass()
  await settle()
  turns[1]?.turn?.answered()
  await settle()
  expect(turns[2]?.turn).toBeDefined()
  expect(clock.slept).toEqual([250, 500])
  expect(changes).toEqual([true, false])
})

test('a refusal of before the last outage says nothing once it is up again; a new one begins the pauses again', async () => {
  const { outage, changes, clock, ask, settle } = start()
  const [first, stale] = [await outage.permit(), await outage.permit()]
  first.refused()
  const again = ask()
  clock.pass()
  await settle()
  again.turn?.answered()
  stale.refused()
  expect(changes).toEqual([true, false])
  const fresh = await outage.permit()
  fresh.refused()
  expect(changes).toEqual([true, false, true])
  expect(clock.slept).toEqual([250, 250])
})

test('a target that is due when no event waits is tried by the next one who comes', async () => {
  const { outage, clock, settle } = start()
  const first = await outage.permit()
  first.refused()
  clock.pass()
  await settle()
  const next = await outage.permit()
  next.answered()
  await outage.permit()
})

test('who has nothing to send after all lets the next one try; that one tells whether it is up', async () => {
  const { outage, changes, clock, ask, settle } = start()
  const first = await outage.permit()
  first.refused()
  const turns = numbers(3).map(() => ask())
  clock.pass()
  await settle()
  turns[0]?.turn?.unused()
  await settle()
  expect(turns.map(({ turn }) => turn !== undefined)).toEqual([true, true, false])
  turns[1]?.turn?.answered()
  await settle()
  expect(turns[2]?.turn).toBeDefined()
  expect(changes).toEqual([true, false])
  expect(clock.slept).toEqual([250])
})

test('a sender with nothing to send, when no other waits, leaves the try to the next one who comes', async () => {
  const { outage, changes, clock, ask, settle } = start()
  const first = await outage.permit()
  first.refused()
  const asked = ask()
  clock.pass()
  await settle()
  asked.turn?.unused()
  const next = await outage.permit()
  next.answered()
  expect(changes).toEqual([true, false])
})

test('in a hurry the next try is now, and the pauses go on after it', async () => {
  const { outage, clock, ask, settle, changes } = start()
  const first = await outage.permit()
  first.refused()
  const turns = [ask(), ask()]
  await settle()
  expect(turns.map(({ turn }) => turn !== undefined)).toEqual([false, false])
  outage.hurry()
  await settle()
  expect(turns.map(({ turn }) => turn !== undefined)).toEqual([true, false])
  turns[0]?.turn?.refused()
  await settle()
  expect(turns[1]?.turn).toBeUndefined()
  clock.pass()
  await settle()
  turns[1]?.turn?.answered()
  expect(changes).toEqual([true, false])
})

function start() {
  const clock = patientClock()
  const ending = new AbortController()
  const changes: boolean[] = []
  const outage = createCircuitBreaker({
    clock,
    signal: ending.signal,
    onChanged: isDown => changes.push(isDown),
  })
  return {
    outage,
    clock,
    changes,
    /** Waits for a turn, and shows what came of that. */
    ask() {
      const asked: { turn?: Permit; error?: unknown } = {}
      outage.permit().then(
        turn => {
          asked.turn = turn
        },
        error => {
          asked.error = error
        },
      )
      return asked
    },
    settle: () => new Promise<void>(resolve => setImmediate(resolve)),
  }
}
