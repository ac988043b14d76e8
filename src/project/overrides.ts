import { type Address, kindOfAddress } from './address.ts'
import type { Resource } from './load/find-resources.ts'
import { adopt, forget } from './lockfile/adopt.ts'
import type { RecordedEntry, Section } from './lockfile/lockfile.ts'
import { idsOf } from './plan/ids.ts'
import { type SecretHash, snapshotOf } from './snapshot/snapshot.ts'

/** What a person says of resources whose fate was not known. */
export interface LockfileOverrides {
  /** `tool/book=<id>` each. */
  readonly adopt?: readonly string[] | undefined
  /** `tool/book` or `tool/book=<id>` each. */
  readonly forget?: readonly string[] | undefined
}

/** What an override changed, with every id that the lockfile has no more. */
export type Overridden =
  | { readonly code: 'adopted-entries'; readonly name: string; readonly former: string }
  | {
      readonly code: 'adopted'
      readonly name: string
      readonly id: string
      /** The resource that had this id. */
      readonly holder?: Address | undefined
      /** The id that the resource had. */
      readonly former?: string | undefined
    }
  | { readonly code: 'forgot-entry'; readonly name: string; readonly id?: string | undefined }
  | { readonly code: 'forgot-creation'; readonly name: Address; readonly id?: string | undefined }
  | { readonly code: 'forgot-batch'; readonly name: Address }
  | { readonly code: 'forgot-entries'; readonly name: Address; readonly ids: readonly string[] }
  | {
      readonly code: 'forgot'
      readonly name: Address
      readonly id?: string | undefined
      /** The ids that it had before. */
      readonly earlier: readonly string[]
    }

/** The section with all overrides. Pure. @throws CallwrightError `usage` for one that cannot be. */
export function applyOverrides(
  section: Section,
  resources: readonly Resource[],
  { adopt: adopted = [], forget: forgotten = [] }: LockfileOverrides,
  hash: SecretHash,
): { readonly section: Section; readonly overridden: readonly Overridden[] } {
  const byAddress = new Map(resources.map(resource => [resource.address, resource]))
  const files = [...byAddress.keys()]
  const overridden: Overridden[] = []
  let current = section
  for (const text of forgotten) {
    const after = forget(current, text, { files })
    overridden.push(whatWasForgotten(current, after, text))
    current = after
  }
  for (const text of adopted) {
    const before = current
    const { fingerprintOf } = idsOf(byAddress, hash, address => before.resources[address])
    current = adopt(before, text, {
      files,
      snapshotOf(address) {
        const resource = byAddress.get(address)
        return resource && snapshotOf(resource.checked, { hash, idOf: fingerprintOf })
      },
    })
    overridden.push(whatWasAdopted(before, text))
  }
  return { section: current, overridden }
}

function whatWasAdopted({ resources }: Section, text: string): Overridden {
  const equals = text.lastIndexOf('=')
  const [name, id] = [text.slice(0, equals), text.slice(equals + 1).trim()]
  if (Object.hasOwn(resources, id)) return { code: 'adopted-entries', name, former: id }
  const holder = addressesOf(resources).find(each => each !== name && resources[each]?.id === id)
  const former = Object.entries(resources).find(([address]) => address === name)?.[1].id
  return { code: 'adopted', name, id, holder, former: former ?? entryId(resources, name) }
}

function whatWasForgotten({ resources }: Section, after: Section, text: string): Overridden {
  const name = addressesOf(resources).find(each => text === each || text.startsWith(`${each}=`))
  const recorded = name === undefined ? undefined : resources[name]
  if (name === undefined || recorded === undefined)
    return { code: 'forgot-entry', ...(goneEntry(resources, after.resources) ?? { name: text }) }
  const { id, entries, replaced: earlier = [] } = recorded
  if (recorded.creating !== undefined) return { code: 'forgot-creation', name, id }
  if (recorded.pending !== undefined) return { code: 'forgot-batch', name }
  if (kindOfAddress(name) !== 'kb') return { code: 'forgot', name, id, earlier }
  const kept = new Set(Object.keys(after.resources[name]?.entries ?? {}))
  return { code: 'forgot-entries', name, ids: idsIn(entries).filter(each => !kept.has(each)) }
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
function idsIn(entries: Readonly<Record<string, RecordedEntry>> = {}): string[] {
  return Object.entries(entries).flatMap(([key, entry]) =>
    entry === null ? [] : [typeof entry === 'string' ? key : entry.id],
  )
}

function addressesOf(resources: Section['resources']): Address[] {
  return Object.keys(resources) as Address[]
}
