import { CallyardError } from '../lib/error.ts'
import { listed } from '../lib/text/count.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import { positionEntrySchema } from './held-partitions.ts'
import { openBuckets, type ReaderBuckets } from './reading-session.ts'
import type { ReaderName } from './relay-event-schemas.ts'
import { requireStream } from './stream.ts'

export interface NamesOptions extends Omit<ConnectionOptions, 'name'> {
  readonly stream: string
}

/** Returns the names that have positions in a stream, in alphabetical order. */
export function listReaderNames(options: NamesOptions): Promise<readonly ReaderName[]> {
  return openNames(options, async ({ positions, leases, last }) => {
    const keys = await positions.keys('*.*')
    const members = await leases.keys('*.*')
    const names = [...new Set(keys.map(nameOf))].sort()
    return Promise.all(
      names.map(async name => {
        const entries = await Promise.all(
          keys.filter(key => nameOf(key) === name).map(key => positions.get(key)),
        )
        const next = entries.flatMap(entry => positionEntrySchema.safeParse(entry?.value).data?.next ?? [])
        const saveTimes = entries.flatMap(entry => entry?.at.getTime() ?? [])
        return {
          name,
          tails: members.filter(key => nameOf(key) === name).length,
          behind: last + 1 - Math.min(last + 1, ...next),
          savedAt: new Date(Math.max(0, ...saveTimes)).toISOString(),
        }
      }),
    )
  })
}

/**
 * Removes the positions of a name, which begins at the end of the stream if it is used again.
 * @throws CallyardError `usage` for an unknown name, `conflict` if a tail uses it
 */
export function removeReaderName(options: NamesOptions, name: string): Promise<void> {
  return openNames(options, async ({ positions, leases }) => {
    const knownNames = new Set((await positions.keys('*.*')).map(nameOf))
    if (!knownNames.has(name)) throw unknownName(name, [...knownNames].sort())
    if ((await leases.keys(`${name}.*`)).length > 0)
      throw new CallyardError('conflict', `a tail is reading as ${name}`, {
        code: 'name-is-read',
        hint: 'stop it first; the lease of a killed tail ends after 5 seconds',
        details: { name },
      })
    await positions.remove(`${name}.*`)
  })
}

interface Names extends ReaderBuckets {
  readonly last: number
}

function openNames<Result>(options: NamesOptions, work: (names: Names) => Promise<Result>): Promise<Result> {
  return openConnection({ ...options, name: 'callyard positions' }, async connection => {
    const info = await requireStream(connection.jsm, options.stream)
    const result = await work({ ...(await openBuckets(connection, info)), last: info.state.last_seq })
    await connection.close()
    return result
  })
}

function nameOf(key: string): string {
  return key.split('.', 1)[0] ?? ''
}

const unknownName = (name: string, names: readonly string[]) =>
  new CallyardError('usage', `no positions of ${name}`, {
    code: 'unknown-name',
    hint: names.length === 0 ? 'the stream has no positions' : `the names are ${listed(names, 9)}`,
    details: { name, known: names },
  })
