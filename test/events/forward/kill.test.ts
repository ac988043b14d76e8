import { copyFileSync, readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../helpers/every-case.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { holding, ok, startTarget } from '../../helpers/target-server.ts'
import { eventOf, forward, idOf, numbersOf, startForwarding, to, until } from './forwarding.ts'

test('whenever a process dies, the next one delivers what was accepted: at most one event of each call twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 25 }),
      fc.nat(25),
      fc.boolean(),
      async (calls, answered, onDisk) => {
        const answer = holding()
        const [target, other] = [await startTarget(answer), await startTarget()]
        const targets = [to(target.url), to(other.url, 'status-update')]
        const first = await startForwarding({ targets, ...(onDisk ? { maxMemory: 0 } : {}) })
        for (const [number, callId] of calls.entries()) {
          forward(
            first.forwarder,
            eventOf(callId, number, { type: number % 2 === 0 ? 'status-update' : 'other' }),
          )
        }
        for (let released = 0; released < Math.min(answered, calls.length); released++) {
          await until(() => answer.held > 0)
          answer.release(1)
        }
        const copy = await temporaryFolder()
        // Both at one moment: what the system has of its files is what a kill leaves.
        const folder = killed(first.folder, copy)
        const known = { target: numbersOf(target.arrivals), other: numbersOf(other.arrivals) }
        await first.close()
        target.answer = ok
        const before = { target: target.arrivals.length, other: other.arrivals.length }
        const second = await startForwarding({ targets, folder, resume: true })
        await until(() => second.forwarder.left === 0)
        await second.close()
        expect(await readdir(folder)).toEqual([])

        const resumed = {
          target: target.arrivals.slice(before.target).map(idOf),
          other: other.arrivals.slice(before.other).map(idOf),
        }
        const all = calls.map((_, number) => number)
        const ofOther = all.filter(number => number % 2 === 0)
        const ofBoth = [
          { all, known: known.target, resumed: resumed.target },
          { all: ofOther, known: known.other, resumed: resumed.other },
        ]
        for (const each of ofBoth) {
          const arrived = new Set([...each.known, ...each.resumed.map(({ number }) => number)])
          expect([...arrived].sort((one, other) => one - other)).toEqual(each.all)
          for (const call of new Set(calls)) {
            const ofCall = each.resumed.filter(({ callId }) => callId === call).map(({ number }) => number)
            expect(ofCall).toEqual([...new Set(ofCall)].sort((one, other) => one - other))
            expect(ofCall.filter(number => each.known.includes(number)).length).toBeLessThanOrEqual(1)
          }
        }
        await target.stop()
        await other.stop()
      },
    ),
    { numRuns: runs(4) },
  )
})

/** A copy of the files of a folder, without its locks. */
function killed(folder: string, copy: string): string {
  for (const file of readdirSync(folder)) {
    if (file.endsWith('.ndjson')) copyFileSync(join(folder, file), join(copy, file))
  }
  return copy
}
