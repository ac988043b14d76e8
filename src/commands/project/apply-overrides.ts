import { oneLine } from '../../lib/text/escape.ts'
import type { Text } from '../../lib/text/text.ts'
import { type Address, kindOfAddress } from '../../project/address.ts'
import type { LoadedProject } from '../../project/load/load-project.ts'
import { adopt, forget } from '../../project/lockfile/adopt.ts'
import type { RecordedEntry, Section } from '../../project/lockfile/lockfile.ts'
import { idsOf } from '../../project/plan/ids.ts'
import { snapshotOf } from '../../project/snapshot/snapshot.ts'
import type { LockedProject } from './locked-project.ts'

interface Settled {
  readonly section: Section
  readonly notes: readonly Text[]
}

interface ByHand {
  readonly adopt?: readonly string[]
  readonly forget?: readonly string[]
}

/**
 * What a person says of resources whose fate was not known (`--adopt`, `--forget`): the section as it is with that, and
 * notes that name every id that it has no more. Nothing is written down.
 */
export function applyOverrides(
  { store, state }: LockedProject,
  { resources }: LoadedProject,
  { adopt: adopted = [], forget: forgotten = [] }: ByHand,
): Settled {
  if (adopted.length + forgotten.length === 0) return { section: store.section, notes: [] }
  const { hash } = state()
  const byAddress = new Map(resources.map(resource => [resource.address, resource]))
  const files = [...byAddress.keys()]
  const notes: string[] = []
  let section = store.section
  for (const text of forgotten) {
    const after = forget(section, text, { files })
    notes.push(forgottenNote(section, after, text))
    section = after
  }
  for (const text of adopted) {
    const before = section
    const { fingerprintOf } = idsOf(byAddress, hash, address => before.resources[address])
    section = adopt(before, text, {
      files,
      snapshotOf(address) {
        const resource = byAddress.get(address)
        return resource && snapshotOf(resource.checked, { hash, idOf: fingerprintOf })
      },
    })
    notes.push(adoptedNote(before, text))
  }
  return { section, notes: notes.map(oneLine) }
}

/** `tool/book is 6650f0c2 now; it was t1`. */
function adoptedNote({ resources }: Section, text: string): string {
  const equals = text.lastIndexOf('=')
  const [what, id] = [text.slice(0, equals), text.slice(equals + 1).trim()]
  if (Object.hasOwn(resources, id)) return `${what} has the entries of ${id} now`
  const holder = addressesOf(resources).find(each => each !== what && resources[each]?.id === id)
  const former =
    Object.entries(resources).find(([address]) => address === what)?.[1].id ?? entryId(resources, what)
  return [
    `${what} is ${id} now`,
    ...(holder === undefined ? [] : [`that was ${holder}`]),
    ...(former === undefined || former === id ? [] : [`it was ${former}`]),
  ].join('; ')
}

/** `forgot tool/book, which was t1`. */
function forgottenNote({ resources }: Section, after: Section, text: string): string {
  const address = addressesOf(resources).find(each => text === each || text.startsWith(`${each}=`))
  const recorded = address === undefined ? undefined : resources[address]
  if (address === undefined || recorded === undefined) {
    const gone = goneEntry(resources, after.resources)
    return gone === undefined
      ? `forgot ${text}`
      : `forgot ${gone.name}${gone.id === undefined ? '' : `, which was ${gone.id}`}`
  }
  if (recorded.creating !== undefined) {
    const left = recorded.id === undefined ? '' : `, which is ${recorded.id} still`
    return `forgot the unanswered creation of ${address}${left}`
  }
  if (recorded.pending !== undefined) return `forgot the unanswered entries of ${address}`
  if (kindOfAddress(address) === 'kb') {
    const kept = new Set(Object.keys(after.resources[address]?.entries ?? {}))
    const lost = idsIn(recorded.entries).filter(id => !kept.has(id))
    return `forgot the entries of ${address}${lost.length === 0 ? '' : `, which were ${lost.join(', ')}`}`
  }
  const earlier = recorded.replaced ?? []
  const before = earlier.length === 0 ? '' : `, and before that ${earlier.join(', ')}`
  return `forgot ${address}, which was ${recorded.id ?? 'not made yet'}${before}`
}

/** The entry that stands in one and no longer in the other: a beginning of its id may have named it. */
function goneEntry(
  before: Section['resources'],
  after: Section['resources'],
): { readonly name: string; readonly id: string | undefined } | undefined {
  for (const address of addressesOf(before)) {
    const kept = after[address]?.entries ?? {}
    for (const [key, entry] of Object.entries(before[address]?.entries ?? {}))
      if (!Object.hasOwn(kept, key)) return { name: `${address}:${key}`, id: idsIn({ [key]: entry })[0] }
  }
  return undefined
}

/** The id of `kb/faq:<id in the file>` at the target. */
function entryId(resources: Section['resources'], text: string): string | undefined {
  for (const address of addressesOf(resources)) {
    for (const [key, entry] of Object.entries(resources[address]?.entries ?? {}))
      if (text === `${address}:${key}`) return idsIn({ [key]: entry })[0]
  }
  return undefined
}

/** The ids that a target is known to have given to entries. */
function idsIn(entries: Readonly<Record<string, RecordedEntry>> | undefined): string[] {
  return Object.entries(entries ?? {}).flatMap(([key, entry]) =>
    entry === null ? [] : [typeof entry === 'string' ? key : entry.id],
  )
}

function addressesOf(resources: Section['resources']): Address[] {
  return Object.keys(resources) as Address[]
}
