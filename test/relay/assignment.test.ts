import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assignPartitions } from '../../src/relay/assignment.ts'
import { partitions } from '../../src/relay/subjects.ts'
import { runs } from '../helpers/every-case.ts'

const ids = ['ada', 'alan', 'barbara', 'edsger', 'grace', 'tony']

test('members divide the partitions evenly, move as few as possible, and never read one together', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.constantFrom(...ids), { nil: undefined }), { minLength: 32, maxLength: 32 }),
      fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1 }),
      (owned, live) => {
        const members = new Set(live)
        const before = partitions.map((partition, index) => [partition, owned[index]] as const)
        let owners = new Map(before)
        for (let round = 0; ; round++) {
          const plans = live.map(member => ({ member, ...assignPartitions(owners, members, member) }))
          const claimed = plans.flatMap(({ claim }) => claim)
          expect(new Set(claimed).size).toBe(claimed.length)
          if (plans[0]?.isSettled === true) break
          // First what is free is claimed, then what was released.
          expect(round).toBeLessThan(3)
          const next = new Map(owners)
          for (const { member, claim, release } of plans) {
            for (const partition of claim) {
              const owner = owners.get(partition)
              expect(owner === undefined || !members.has(owner)).toBe(true)
              next.set(partition, member)
            }
            for (const partition of release) {
              expect(owners.get(partition)).toBe(member)
              next.set(partition, undefined)
            }
          }
          owners = next
        }
        const shares = live.map(member => [...owners.values()].filter(owner => owner === member).length)
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(32)
        const kept = before.filter(
          ([partition, owner]) => owner !== undefined && owners.get(partition) === owner,
        )
        const sizes = live
          .map(member => owned.filter(owner => owner === member).length)
          .sort((one, other) => other - one)
        const possible = sizes.map((size, index) =>
          Math.min(size, Math.floor(32 / live.length) + (index < 32 % live.length ? 1 : 0)),
        )
        expect(kept.length).toBe(possible.reduce((sum, share) => sum + share, 0))
      },
    ),
    { numRuns: runs(200) },
  )
})
