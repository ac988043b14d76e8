import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { holding, ok, startTarget } from '../../helpers/target-server.ts'
import { eventOf, forward, numbers, numbersOf, startForwarding, to, until } from './forwarding.ts'

test('one that was paused while another took over does not send its events, and continues with new ones', async () => {
  // By these a holder of a lock shows that it lives, and looks whether it still has it.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = holding()
  const target = await startTarget(answer)
  const targets = [to(target.url)]
  const dead = await startForwarding({ targets })
  const { folder } = dead
  for (const number of numbers(3)) forward(dead.forwarder, eventOf('left', number))
  await until(() => target.arrivals.length === 1)
  await dead.close()

  // Room for four events: what is left to the other one must not take it.
  const first = await startForwarding({ targets, folder, resume: true, onlyNew: true, maxMemory: 2400 })
  for (const number of numbers(3, 10)) forward(first.forwarder, eventOf('own', number))
  await until(() => target.arrivals.length === 3)
  await standStill(folder)
  target.answer = ok
  const second = await startForwarding({ targets, folder, resume: true })
  expect(second.told('forward-left')).toMatchObject([{ events: 6, resumed: true }])
  await until(() => second.forwarder.left === 0)

  await vi.advanceTimersByTimeAsync(5000)
  await until(
    () => first.told('forward-taken').length > 0,
    () => forward(first.forwarder, eventOf('not new', 99), { isNew: false }),
  )
  const before = target.arrivals.length
  answer.release()
  await until(() => first.forwarder.left === 0)
  expect(target.arrivals).toHaveLength(before)
  for (const number of numbers(4, 13)) forward(first.forwarder, eventOf('own', number))
  await until(() => first.forwarder.left === 0)
  expect(numbersOf(target.arrivals.slice(before))).toEqual([13, 14, 15, 16])
  expect(first.told('forward-unkept')).toMatchObject([{ reason: 'another process took the files over' }])
  expect((await first.close())?.targets).toMatchObject([{ delivered: 6, failed: 0, undelivered: 4, lost: 0 }])
  expect(first.told('forward-taken')).toHaveLength(1)
  expect((await second.close())?.targets).toMatchObject([{ delivered: 6, undelivered: 0 }])
  expect(await readdir(folder)).toEqual([])
})

/** Makes those who hold locks in a folder look dead, as to another host that watched them for long. */
async function standStill(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith('.alive')) await rm(join(folder, name), { recursive: true })
  }
}
