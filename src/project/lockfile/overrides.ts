import { type Address, isAddress, kindOfAddress } from '../../files/formats/address.ts'
import { CallyardError } from '../../lib/error.ts'
import { didYouMean, findByBeginning, meantHint } from '../../lib/text/did-you-mean.ts'
import { splitPair } from '../../lib/text/pair.ts'
import { ambiguousEntry } from './errors.ts'
import { idIn, type PendingEntry, type RecordedEntry, unknownContent } from './ledger.ts'
import { formerIds, lockfileName, type ResourceState, type Section, type Snapshot } from './lockfile.ts'

/** Result of an override, with every id that was removed from the lockfile. */
export type Overridden =
  | { readonly code: 'adopted-entries'; readonly name: string; readonly former: string }
  | {
      readonly code: 'adopted'
      readonly name: string
      readonly id: string
      /** The resource that had this id. */
      readonly holder?: Address | undefined
      readonly former?: string | undefined
    }
  | { readonly code: 'resent' }
  | { readonly code: 'forgot-entry'; readonly name: string; readonly id?: string | undefined }
  | { readonly code: 'forgot-creation'; readonly name: Address; readonly id?: string | undefined }
  | { readonly code: 'forgot-batch'; readonly name: Address }
  | { readonly code: 'forgot-entries'; readonly name: Address; readonly ids: readonly string[] }
  | {
      readonly code: 'forgot'
      readonly name: Address
      readonly id?: string | undefined
      readonly earlier: readonly string[]
    }

export interface OverriddenSection {
  readonly section: Section
  readonly overridden: Overridden
}

/** The section when nothing is known of what the service has but the ids. An assistant that cannot be updated stays as it is. */
export function resend(
  section: Section,
  { canUpdateAssistants }: { readonly canUpdateAssistants: boolean },
): Section {
  const resources = Object.entries(section.resources).map(([address, lastState]) => {
    const { texts: _, updating: __, ...rest } = lastState
    const kind = isAddress(address) ? kindOfAddress(address) : undefined
    if (kind === 'tool' || (kind === 'assistant' && canUpdateAssistants))
      return [address, { id: rest.id, replaced: rest.replaced, creating: rest.creating, body: {} }]
    if (kind !== 'kb') return [address, lastState]
    const entries = Object.entries(rest.entries ?? {}).map(([key, entry]) => [
      key,
      entry === null || typeof entry === 'string'
        ? entry && unknownContent
        : { ...entry, hash: unknownContent },
    ])
    return [address, rest.entries === undefined ? rest : { ...rest, entries: Object.fromEntries(entries) }]
  })
  return { ...section, resources: Object.fromEntries(resources) }
}

/** Ids of resources that another version of the lockfile has. */
interface CreatedBefore {
  findCreated(address: Address, section: Section): { readonly id: string } | undefined
}

/** Facts about the files of a project that an override depends on. */
export interface FileFacts {
  readonly history?: CreatedBefore
  readonly files: readonly Address[]
  /** A file as it would be sent now. */
  snapshotOf(address: Address): Snapshot | undefined
  /** Entry ids in the file of a knowledge base. */
  keysIn(address: Address): readonly string[]
}

/**
 * Applies `--adopt`: uses an existing resource for a file (`tool/book=<id>`). Its last sent state is that of the POST without a response,
 * or that of the id in the lockfile under a name that no file has any more. If neither exists, a tool is updated completely, and an
 * assistant is assumed to match its file, because the interface can neither read nor update it. A knowledge base takes over the entries
 * of its former name (`kb/new=kb/old`), and an entry gets its id (`kb/faq:<id in the file>=<id>`). Pure.
 * @throws CallyardError `usage` if it cannot be adopted.
 */
export function adopt(section: Section, text: string, { files, snapshotOf }: FileFacts): OverriddenSection {
  const [address, id] = splitAdopted(section, text)
  if (id === '')
    throw new CallyardError(
      'usage',
      `${JSON.stringify(text)} is not <address>=<id>, such as tool/book=6650f0c2`,
      {
        ...{ code: 'adopt-malformed', details: { text } },
      },
    )
  const entry = entryAddress(Object.keys(section.resources), address)
  if (entry !== undefined) return adoptEntry(section, entry, id)
  if (!isAddress(address)) throw adoptNoFile(address, files)
  if (kindOfAddress(address) === 'kb') return adoptEntries(section, address, id, files)
  const lastState = section.resources[address]
  if (!files.includes(address) && lastState?.creating === undefined) throw adoptNoFile(address, files)
  const holder = (Object.keys(section.resources) as Address[]).find(
    other => other !== address && section.resources[other]?.id === id,
  )
  if (holder !== undefined && files.includes(holder))
    throw new CallyardError('usage', `${id} is already ${holder}, which has its own file`, {
      ...{ code: 'adopt-taken', hint: `forget ${holder}=${id} first` },
      details: { id, holder },
    })
  const former = section.resources[holder ?? address]
  const current = kindOfAddress(address) === 'assistant' ? snapshotOf(address) : undefined
  // An id that the lockfile knows is not the one that an unanswered POST made.
  const lastBody = former?.id === id ? (lastSent(former) ?? current) : (lastState?.creating ?? current)
  const adopted = { id, replaced: formerIds(lastState, id), ...(lastBody ?? { body: {} }) }
  const left = holder === undefined ? section : withRecorded(section, holder, undefined)
  return {
    section: withRecorded(left, address, adopted),
    overridden: { code: 'adopted', name: address, id, holder, former: lastState?.id },
  }
}

/** The id of an entry in a file may contain `=`: a known one is taken whole. */
function splitAdopted({ resources }: Section, text: string): readonly [address: string, id: string] {
  for (const [address, { entries = {}, pending = [] }] of Object.entries(resources)) {
    const keys = [...Object.keys(entries), ...pending.flatMap(({ key }) => key ?? [])]
    const entry = keys.map(key => `${address}:${key}`).find(prefix => text.startsWith(`${prefix}=`))
    if (entry !== undefined) return [entry, text.slice(entry.length + 1).trim()]
  }
  const [address = '', id = ''] = splitPair(text) ?? []
  return [address, id.trim()]
}

/** Undefined if unknown, because only the id was adopted. */
function lastSent({ body, env, files, ids, updating }: ResourceState): ResourceState | undefined {
  return Object.keys(body).length === 0 ? undefined : { body, env, files, ids, updating }
}

/** A section that has this under an address, or nothing. */
function withRecorded(section: Section, address: Address, lastState: ResourceState | undefined): Section {
  const { [address]: _, ...others } = section.resources
  return { ...section, resources: lastState === undefined ? others : { ...others, [address]: lastState } }
}

/** `kb/faq:<id in the file>`. */
interface EntryAddress {
  readonly address: Address
  readonly key: string
}

function entryAddress(addresses: readonly string[], text: string): EntryAddress | undefined {
  const address = addresses
    .filter(isAddress)
    .find(
      other =>
        kindOfAddress(other) === 'kb' && text.startsWith(`${other}:`) && text.length > other.length + 1,
    )
  return address === undefined ? undefined : { address, key: text.slice(address.length + 1) }
}

function adoptEntry(section: Section, { address, key }: EntryAddress, id: string): OverriddenSection {
  const lastState = section.resources[address] ?? { body: {} }
  const { entries = {}, pending } = lastState
  const pendingEntry = pending?.find(entry => entry.key === key || entry.id === key)
  const hash = pendingEntry?.content ?? unknownContent
  return {
    section: withEntries(
      section,
      address,
      { ...entries, [key]: key === id ? hash : { id, hash } },
      pending?.filter(entry => entry !== pendingEntry),
    ),
    overridden: { code: 'adopted', name: `${address}:${key}`, id, former: idsIn(entries, [key])[0] },
  }
}

/** A file that was renamed is still the same knowledge base. */
function adoptEntries(
  section: Section,
  address: Address,
  former: string,
  files: readonly Address[],
): OverriddenSection {
  const isFormer = isAddress(former) && kindOfAddress(former) === 'kb' && !files.includes(former)
  const lastState = isFormer ? section.resources[former] : undefined
  if (
    !isFormer ||
    lastState === undefined ||
    !files.includes(address) ||
    section.resources[address] !== undefined
  )
    throw adoptKnowledgeBase(address, former)
  return {
    section: withRecorded(withRecorded(section, former, undefined), address, lastState),
    overridden: { code: 'adopted-entries', name: address, former },
  }
}

function withEntries(
  section: Section,
  address: Address,
  entries: ResourceState['entries'],
  pending: ResourceState['pending'] = [],
): Section {
  const { texts = {}, ...lastState } = section.resources[address] ?? { body: {} }
  // A manual decision about an entry says nothing about the text at the target.
  const keptTexts = Object.entries(texts).filter(([key]) => entries?.[key] === lastState.entries?.[key])
  return withRecorded(section, address, {
    ...lastState,
    entries,
    texts: keptTexts.length === 0 ? undefined : Object.fromEntries(keptTexts),
    pending: pending.length === 0 ? undefined : pending,
  })
}

/**
 * Applies `--forget`: forgets a POST that did not reach the service, or else the resource (`tool/book`), so that the next apply creates
 * it. A resource with a known id requires the id (`tool/book=<id>`). For a knowledge base, all entries are inserted again, or a single
 * one (`kb/faq:<id in the file>`); known ids of a pending batch are kept. If the file is missing, everything is forgotten. A unique
 * prefix of an entry's id is enough. Pure.
 * @throws CallyardError `usage` if the lockfile has no such resource.
 */
export function forget(
  section: Section,
  text: string,
  { files, keysIn, history }: FileFacts,
): OverriddenSection {
  const addresses = Object.keys(section.resources) as Address[]
  const address = addresses.find(candidate => text === candidate || text.startsWith(`${candidate}=`))
  const lastState = address === undefined ? undefined : section.resources[address]
  const entry = entryAddress([...addresses, ...files], text)
  if (address === undefined && entry !== undefined) return forgetEntry(section, entry, text, keysIn)
  const other = files.find(
    candidate => text === `${candidate}=${history?.findCreated(candidate, section)?.id}`,
  )
  if (address === undefined && other !== undefined) {
    const id = text.slice(other.length + 1)
    return {
      section: withForgotten(section, [id]),
      overridden: { code: 'forgot', name: other, id, earlier: [] },
    }
  }
  if (address === undefined || lastState === undefined) throw notRecorded(text, addresses)
  const { id, creating } = lastState
  // Without the id, repeating the command would forget and create again what it has just created.
  const isMeant = id === undefined || creating !== undefined || text === `${address}=${id}`
  if (files.includes(address) && !isMeant) throw forgetKnown(address, id)
  const underWay = creating !== undefined || lastState.pending !== undefined
  const left = underWay || files.includes(address) ? forgotten(lastState) : undefined
  const ids = left?.id === undefined && id !== undefined ? [id, ...(lastState.replaced ?? [])] : []
  return {
    section: withForgotten(withRecorded(section, address, left), ids),
    overridden: describeForgotten(address, lastState, left),
  }
}

/** Another version of the lockfile may still have these: without a note, their resources could not be created again. */
function withForgotten(section: Section, ids: readonly string[]): Section {
  const forgotten = new Set([...(section.forgotten ?? []), ...ids])
  return forgotten.size === 0 ? section : { ...section, forgotten: [...forgotten].sort() }
}

function describeForgotten(
  name: Address,
  lastState: ResourceState,
  left: ResourceState | undefined,
): Overridden {
  const { id, entries, replaced: earlier = [] } = lastState
  if (lastState.creating !== undefined) return { code: 'forgot-creation', name, id }
  if (lastState.pending !== undefined) return { code: 'forgot-batch', name }
  if (kindOfAddress(name) !== 'kb') return { code: 'forgot', name, id, earlier }
  const remainingKeys = new Set(Object.keys(left?.entries ?? {}))
  return { code: 'forgot-entries', name, ids: idsIn(entries).filter(entryId => !remainingKeys.has(entryId)) }
}

function forgetEntry(
  section: Section,
  { address, key: named }: EntryAddress,
  text: string,
  keysIn: FileFacts['keysIn'],
): OverriddenSection {
  const { entries = {}, pending } = section.resources[address] ?? { body: {} }
  const inFile = new Set(keysIn(address))
  const keys = [...new Set([...Object.keys(entries), ...inFile])]
  const match = findByBeginning(named, keys, entryKey => entryKey)
  if (match.kind === 'ambiguous') throw ambiguousEntry(text, match.candidates)
  if (match.kind === 'missing') {
    const names = keys.map(entryKey => `${address}:${entryKey}`)
    throw notRecorded(text, names)
  }
  const { item: key } = match
  const { [key]: _, ...others } = entries
  // Recorded as absent: while the file has this id, an unrecorded entry would be taken for a handwritten one.
  const left = inFile.has(key) ? { ...entries, [key]: null } : others
  const id = Object.hasOwn(entries, key) ? idsIn(entries, [key])[0] : key
  return {
    section: withEntries(section, address, left, pending),
    overridden: { code: 'forgot-entry', name: `${address}:${key}`, id },
  }
}

function forgotten(lastState: ResourceState): ResourceState | undefined {
  const { creating, pending, ...settledState } = lastState
  if (pending !== undefined) return withoutUnknown(settledState, pending)
  if (creating !== undefined) return settledState.id === undefined ? undefined : settledState
  const { entries } = settledState
  if (entries === undefined) return undefined
  // The file keeps their ids, which are no longer ids of this target.
  return { body: {}, entries: Object.fromEntries(Object.keys(entries).map(key => [key, null])) }
}

/**
 * Keeps entries that were certainly stored: to be found in the file again or, if the user was asked about them before, as entries that
 * no file has.
 */
function withoutUnknown(settledState: ResourceState, pending: readonly PendingEntry[]): ResourceState {
  const stored = pending.filter(({ id }) => id !== undefined)
  if (stored.length === 0) return settledState
  if (stored.length < pending.length) return { ...settledState, pending: stored }
  const entries = stored.flatMap(({ id = '', key = id, content }): [string, RecordedEntry][] => [
    [key, key === id ? content : { id, hash: content }],
  ])
  return { ...settledState, entries: { ...settledState.entries, ...Object.fromEntries(entries) } }
}

/** Returns the known ids of entries at a target, optionally only of these keys. */
function idsIn(entries: ResourceState['entries'] = {}, keys = Object.keys(entries)): string[] {
  return keys.flatMap(key => {
    const entry = Object.hasOwn(entries, key) ? entries[key] : undefined
    return entry === undefined ? [] : (idIn(key, entry) ?? [])
  })
}

const adoptNoFile = (address: string, files: readonly string[]) =>
  new CallyardError('usage', `no file for ${address}`, {
    code: 'adopt-no-file',
    hint:
      meantHint(didYouMean(address, files)) ??
      'use tool/<name> or assistant/<name>, where the name is that of the file without extension',
    details: { address, files },
  })

const adoptKnowledgeBase = (address: Address, former: string) =>
  new CallyardError(
    'usage',
    `${address} cannot be adopted as ${former}: its file names it by knowledgeBaseId`,
    {
      code: 'adopt-knowledge-base',
      hint: `to adopt entries, write their ids into the file or adopt ${address}:<id in the file>=<id>; after a rename, adopt ${address}=kb/<former name>`,
      details: { address, former },
    },
  )

/** The resource exists; to forget it, its id must be given. */
const forgetKnown = (address: Address, id: string) =>
  new CallyardError(
    'usage',
    `${address} is ${id}; once forgotten, it is created again, and ${id} remains at the service`,
    { code: 'forget-known', hint: `if you want that, forget ${address}=${id}`, details: { address, id } },
  )

const notRecorded = (text: string, names: readonly string[]) =>
  new CallyardError('usage', `${lockfileName} has no ${text} at this target`, {
    code: 'not-recorded',
    hint:
      meantHint(didYouMean(text, names)) ??
      (names.length === 0 ? 'the target is empty' : `available: ${names.slice(0, 10).join(', ')}`),
    details: { text, known: names },
  })
