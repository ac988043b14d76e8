import { expect, test } from 'vitest'
import { leaseMs, takeLease } from '../../src/relay/lease.ts'
import { rebalanceEveryMs, renewEveryMs } from '../../src/relay/reading-session.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { memoryBucket } from './memory-bucket.ts'

/** nats-server 2.9 looks for entries that are too old once a second at most. */
const expiryEveryMs = 1000

/** A bucket whose entries end with their time to live, rounded up as the server does. */
function leaseBucket(now: () => number, expiryOffsetMs: number) {
  const lookedAt = () => now() - ((now() + expiryOffsetMs) % expiryEveryMs)
  return memoryBucket({ now, isExpired: at => lookedAt() - at >= leaseMs })
}

test('the survivors miss a dead tail within 7 seconds, whenever it dies', async () => {
  const times = [0, 1, 250, 499, 750, 999]
  for (const [diesAfterMs, offsetMs] of times.flatMap(time => times.map(other => [time, other] as const))) {
    const clock = manualClock(0)
    const bucket = leaseBucket(clock.now, offsetMs)
    const join = (member: string) =>
      takeLease({
        ...{ bucket, name: 'ada', member, isShared: true, clock, monotonicMs: clock.now },
        signal: new AbortController().signal,
      })
    const [survivor, other] = [await join('m1'), await join('m2')]
    const stopping = new AbortController()
    let missedAt: number | undefined
    const every = async (milliseconds: number, work: () => Promise<unknown>) => {
      while (!stopping.signal.aborted) {
        await work()
        await clock.sleep(milliseconds, stopping.signal).catch(() => undefined)
      }
    }
    void every(renewEveryMs, survivor.renew)
    void every(rebalanceEveryMs, async () => {
      if ((await survivor.members())?.has('m2') === false) missedAt ??= clock.now()
    })
    // It dies right after a renewal, which is the worst case.
    for (let renewal = 0; renewal < 4; renewal++) {
      await clock.advance(renewEveryMs + (renewal === 0 ? diesAfterMs : 0))
      expect(await other.renew()).toBe(true)
    }
    expect(missedAt).toBeUndefined()
    const diedAt = clock.now()
    await clock.advance(10_000)
    expect((missedAt ?? Number.POSITIVE_INFINITY) - diedAt).toBeLessThanOrEqual(7000)
    stopping.abort()
    await clock.advance(2000)
  }
})
