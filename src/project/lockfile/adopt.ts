import { findByBeginning } from '../../lib/text/find-by-beginning.ts'
import { type Address, isAddress, kindOfAddress } from '../address.ts'
import { projectError } from '../errors.ts'
import { type PendingEntry, unknownContent } from '../faq/ledger.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { Recorded, RecordedEntry, Section } from './lockfile.ts'

interface Known {
  /** What the project's files hold. */
  readonly files: readonly Address[]
  /** A file as it would be sent now. */
  snapshotOf(address: Address): Snapshot | undefined
}

/**
 * Takes what exists at the service as what a file describes (`--adopt tool/book=<id>`). What was last sent is what the
 * unanswered POST sent, or what the lockfile says of that id under a name that no file has any more. Else a tool is updated
 * in full, and an assistant is taken to be what its file says, for the interface can neither read nor update it. A
 * knowledge base takes over the entries of its former name (`kb/new=kb/old`), an entry its id here (`kb/faq:<id in the
 * file>=<id>`). Pure. @throws CallwrightError `usage` when it cannot be adopted.
 */
export function adopt(section: Section, text: string, { files, snapshotOf }: Known): Section {
  const equals = text.lastIndexOf('=')
  const [address, id] = [text.slice(0, equals), text.slice(equals + 1).trim()]
  if (equals < 1 || id === '') throw projectError('usage', 'adopt-malformed', { text })
  const entry = entryAddress(section, address)
  if (entry !== undefined) return adoptEntry(section, entry, id)
  if (!isAddress(address)) throw projectError('usage', 'adopt-no-file', { address, files })
  if (kindOfAddress(address) === 'kb') return adoptEntries(section, address, id, files)
  const recorded = section.resources[address]
  if (!files.includes(address) && recorded?.creating === undefined)
    throw projectError('usage', 'adopt-no-file', { address, files })
  const holder = (Object.keys(section.resources) as Address[]).find(
    each => each !== address && section.resources[each]?.id === id,
  )
  if (holder !== undefined && files.includes(holder))
    throw projectError('usage', 'adopt-taken', { id, holder })
  const { [holder ?? address]: former, ...others } = section.resources
  const sent = lastSent(address, id, { recorded, former, current: snapshotOf(address) })
  const earlier = recorded?.id === undefined || recorded.id === id ? [] : [recorded.id]
  const replaced = [...(recorded?.replaced ?? []), ...earlier]
  const adopted: Recorded = { id, ...(replaced.length === 0 ? {} : { replaced }), ...sent }
  return { ...section, resources: { ...others, [address]: adopted } }
}

interface Candidates {
  readonly recorded: Recorded | undefined
  /** What the lockfile says of the id, if it knows it. */
  readonly former: Recorded | undefined
  readonly current: Snapshot | undefined
}

/** An id that the lockfile knows is not the one that an unanswered POST made, and what it says of another id is not of this one. */
function lastSent(
  address: Address,
  id: string,
  { recorded, former, current }: Candidates,
): Snapshot & Pick<Recorded, 'updating'> {
  if (former?.id === id) {
    const { body, env, files, ids, updating } = former
    if (Object.keys(body).length > 0) return { body, env, files, ids, updating }
  } else if (recorded?.creating !== undefined) return recorded.creating
  return kindOfAddress(address) === 'assistant' && current !== undefined ? current : { body: {} }
}

/** `kb/faq:<id in the file>`. */
interface EntryAddress {
  readonly address: Address
  readonly key: string
}

function entryAddress({ resources }: Section, text: string): EntryAddress | undefined {
  const address = (Object.keys(resources) as Address[]).find(
    each => kindOfAddress(each) === 'kb' && text.startsWith(`${each}:`) && text.length > each.length + 1,
  )
  return address === undefined ? undefined : { address, key: text.slice(address.length + 1) }
}

function adoptEntry(section: Section, { address, key }: EntryAddress, id: string): Section {
  const recorded = section.resources[address] ?? { body: {} }
  const sent = recorded.pending?.find(each => each.key === key || each.id === key)
  const hash = sent?.content ?? unknownContent
  return withEntries(section, address, {
    entries: { ...recorded.entries, [key]: key === id ? hash : { id, hash } },
    pending: recorded.pending?.filter(each => each !== sent),
  })
}

/** A file that was renamed is still the same knowledge base. */
function adoptEntries(
  section: Section,
  address: Address,
  former: string,
  files: readonly Address[],
): Section {
  const { resources } = section
  const { [former as Address]: recorded, ...others } = resources
  const isFormer = isAddress(former) && kindOfAddress(former) === 'kb' && !files.includes(former)
  if (recorded !== undefined && isFormer && files.includes(address) && others[address] === undefined)
    return { ...section, resources: { ...others, [address]: recorded } }
  throw projectError('usage', 'adopt-knowledge-base', { address, former })
}

function withEntries(
  section: Section,
  address: Address,
  { entries, pending = [] }: Pick<Recorded, 'entries' | 'pending'>,
): Section {
  const { pending: _, texts = {}, ...recorded } = section.resources[address] ?? { body: {} }
  // What is said of an entry by hand is nothing that its text was taken from.
  const kept = Object.entries(texts).filter(([key]) => entries?.[key] === recorded.entries?.[key])
  const left = {
    ...recorded,
    entries,
    ...(kept.length === 0 ? {} : { texts: Object.fromEntries(kept) }),
    ...(pending.length === 0 ? {} : { pending }),
  }
  return { ...section, resources: { ...section.resources, [address]: left } }
}

/**
 * Forgets a POST that did not reach the service, or else the resource itself (`--forget tool/book`): the next apply
 * creates it; of one that is known, the id is named (`tool/book=<id>`). Entries of a knowledge base are inserted again, one
 * alone (`kb/faq:<id in the file>`) or, where none is on its way, all; ids that are known of a batch on its way are kept.
 * Where a file is gone, nothing is left of it. Of an entry's id a unique beginning is enough. Pure.
 * @throws CallwrightError `usage` when the lockfile has no such thing.
 */
export function forget(section: Section, text: string, { files }: Pick<Known, 'files'>): Section {
  const known = Object.keys(section.resources) as Address[]
  const address = known.find(each => text === each || text.startsWith(`${each}=`))
  const recorded = address === undefined ? undefined : section.resources[address]
  const entry = entryAddress(section, text)
  if (address === undefined && entry !== undefined) return forgetEntry(section, entry, text)
  if (address === undefined || recorded === undefined)
    throw projectError('usage', 'not-recorded', { text, known })
  if (files.includes(address)) assertMeant(address, recorded, text.slice(address.length + 1))
  const { [address]: _, ...others } = section.resources
  const underWay = recorded.creating !== undefined || recorded.pending !== undefined
  const left = underWay || files.includes(address) ? forgotten(recorded) : undefined
  return { ...section, resources: left === undefined ? others : { ...others, [address]: left } }
}

/** Without the id, the same command given once more would forget, and create again, what it has just created. */
function assertMeant(address: Address, { id, creating }: Recorded, named: string): void {
  if (id === undefined || creating !== undefined || named === id) return
  throw projectError('usage', 'forget-known', { address, id })
}

function forgetEntry(section: Section, { address, key: named }: EntryAddress, text: string): Section {
  const { entries = {}, pending } = section.resources[address] ?? { body: {} }
  const keys = Object.keys(entries)
  const found = findByBeginning(named, keys, each => each)
  if (found.kind === 'ambiguous')
    throw projectError('usage', 'forget-ambiguous', { text, ids: found.candidates })
  if (found.kind === 'missing') {
    const known = keys.map(each => `${address}:${each}`)
    throw projectError('usage', 'not-recorded', { text, known })
  }
  const { [found.item]: _, ...others } = entries
  return withEntries(section, address, { entries: others, pending })
}

function forgotten(recorded: Recorded): Recorded | undefined {
  const { creating, pending, ...settled } = recorded
  if (pending !== undefined) return withoutUnknown(settled, pending)
  if (creating !== undefined) return settled.id === undefined ? undefined : settled
  const { entries } = settled
  if (entries === undefined) return undefined
  // The file keeps their ids, which are no longer ids of this target.
  return { body: {}, entries: Object.fromEntries(Object.keys(entries).map(key => [key, null])) }
}

/**
 * What was stored for certain stays: to be found in the file again or, where a person has been asked about it already, as
 * entries that no file holds.
 */
function withoutUnknown(settled: Recorded, pending: readonly PendingEntry[]): Recorded {
  const stored = pending.filter(({ id }) => id !== undefined)
  if (stored.length === 0) return settled
  if (stored.length < pending.length) return { ...settled, pending: stored }
  const entries = stored.flatMap(({ id = '', key = id, content }): [string, RecordedEntry][] => [
    [key, key === id ? content : { id, hash: content }],
  ])
  return { ...settled, entries: { ...settled.entries, ...Object.fromEntries(entries) } }
}
