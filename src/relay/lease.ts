import * as z from 'zod/mini'
import type { Clock } from '../lib/clock.ts'
import { CallyardError } from '../lib/error.ts'
import type { Bucket } from './bucket.ts'

export interface LeaseOptions {
  /** A bucket that removes entries after `leaseMs`. */
  readonly bucket: Bucket
  readonly name: string
  /** Id of this process, the same for each of its leases. */
  readonly member: string
  /** Other members that share are admitted. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly signal: AbortSignal
}

const memberSchema = z.object({ member: z.string() })

/** Time to live of the bucket. The lease of a dead member ends after it. */
export const leaseMs = 5000
/** A member stops by itself before others may replace it. */
const validMs = 4000
const pollMs = 250
/** Key of a member that does not share. */
const exclusive = 'exclusive'

/**
 * Joins the members of a name. Waits for the lease of a tail in the way, which may be dead, to end.
 * @throws CallyardError `conflict` if another tail has the name and one of the two does not share it
 */
export async function takeLease(options: LeaseOptions) {
  const { bucket, name, member, isShared, clock, monotonicMs, signal } = options
  const key = `${name}.${isShared ? member : exclusive}`
  let revision = 0
  let renewedAt = 0
  /** Members of the last two looks: a lease that just ended may be renewed again. */
  let snapshots: readonly ReadonlySet<string>[] = []

  /** Writes the entry; returns false if another member has it, or if it ended. */
  const write = async () => {
    const startedAt = monotonicMs()
    const newRevision = await bucket.write(key, { member }, revision)
    revision = newRevision ?? 0
    if (newRevision === undefined) return false
    renewedAt = startedAt
    return true
  }
  /** An earlier write may have arrived although it got no response. */
  const adopt = async () => {
    const entry = await bucket.get(key)
    if (memberSchema.safeParse(entry?.value).data?.member === member) revision = entry?.revision ?? 0
  }
  const list = async () => {
    const keys = await bucket.keys(`${name}.*`)
    return new Set(keys.map(entryKey => entryKey.slice(name.length + 1)))
  }
  const hasConflict = async () => {
    const others = await list()
    if (revision !== 0) others.delete(isShared ? member : exclusive)
    return isShared ? others.has(exclusive) : others.size > 0
  }
  const join = async () => {
    const until = monotonicMs() + leaseMs + 2 * pollMs
    await adopt()
    while (!(await write()) || (await hasConflict())) {
      if (monotonicMs() > until) {
        const isTaken = await hasConflict()
        if (revision !== 0) await bucket.remove(key)
        if (!isTaken) throw new Error('the lease was not granted')
        throw new CallyardError('conflict', `another tail is reading as ${name}`, {
          code: 'name-in-use',
          hint: isShared
            ? 'it does not share: stop it and start it shared, or read under another name'
            : 'read under another name to receive everything too, or share this one among all its tails',
          details: { name, isShared },
        })
      }
      await clock.sleep(pollMs, signal)
    }
  }
  await join()
  return {
    /** True while no other process can have replaced this one. */
    isValid: () => monotonicMs() - renewedAt < validMs,
    /** Returns false if the lease ended. */
    renew: write,
    /** Ids of the live members, this one included; undefined until two looks have seen them. */
    async members(): Promise<ReadonlySet<string> | undefined> {
      if (!isShared) return new Set([member])
      snapshots = [await list(), ...snapshots.slice(0, 1)]
      return snapshots.length < 2
        ? undefined
        : new Set([member, ...snapshots.flatMap(members => [...members])])
    },
    /** True if no other process reads with this name. */
    isAlone: async () => (await list()).size === 1,
    /** Frees the name for others at once. */
    leave: () => bucket.remove(key),
  }
}
