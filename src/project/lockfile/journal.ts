import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Address } from '../../files/formats/address.ts'
import { CallyardError } from '../../lib/error.ts'
import { readSteps } from '../../lib/fs/log.ts'
import { hashContent } from '../../lib/hash.ts'
import type { Immutable } from '../../lib/json.ts'
import {
  type EntryText,
  entryTextSchema,
  type LedgerStorage,
  ledgerStepSchema,
  PushLedger,
} from './ledger.ts'
import type { WrittenRecord, WrittenSection } from './lock-text.ts'
import {
  emptyLockfile,
  type Lockfile,
  type LockfilePart,
  lockfileName,
  type OpenJournal,
  type ResourceState,
  readWritten,
  recordedSchema,
  type Section,
  type Stamp,
  sectionSchema,
  stampSchema,
  withoutJournal,
} from './lockfile.ts'

const address = z.custom<Address>(value => typeof value === 'string')

/**
 * A line of the journal next to a lockfile: a change that an apply made since the lockfile was written. Lockfile and lines together
 * describe the target.
 */
const lineSchema = z.union([
  /** `base` is the hash of the lockfile's text, null if there was none; `section` is that of a target that it lacks. */
  z.object({
    line: z.literal('begin'),
    target: z.string(),
    base: z.nullable(z.string()),
    section: z.optional(sectionSchema),
    stamp: z.optional(stampSchema),
  }),
  z.object({ line: z.literal('team'), teamId: z.string() }),
  /** Null takes the resource out. */
  z.object({ line: z.literal('resource'), address, recorded: z.nullable(recordedSchema) }),
  /** A knowledge base without its entries and pending entries. Texts of entries are not kept from here on. */
  z.object({ line: z.literal('head'), address, recorded: recordedSchema }),
  z.object({ line: z.literal('texts'), address, texts: z.array(z.tuple([z.string(), entryTextSchema()])) }),
  z.intersection(z.object({ line: z.literal('step'), address }), ledgerStepSchema()),
  /** The lockfile, which has everything above, is about to be written: the hash of its text. */
  z.object({ line: z.literal('written'), hash: z.string() }),
])
export type JournalLine = Immutable<z.infer<typeof lineSchema>>

/** Path of the journal of a lockfile. */
export function journalPath(lockfile: string): string {
  return join(dirname(lockfile), '.callyard', 'lockfile.ndjson')
}

/** Returns the fingerprint by which a journal refers to a lockfile's text, with or without the lines about the journal. */
export function nameOfText(text: string | undefined): string | null {
  const own = text === undefined ? emptyLockfile : withoutJournal(text)
  return own === emptyLockfile ? null : hashContent(own)
}

/** Reads the lines of a journal; undefined if there is none. @throws CallyardError `conflict` for a damaged one */
export async function readJournal(path: string): Promise<readonly JournalLine[] | undefined> {
  return readSteps(path, line => lineSchema.parse(line)).catch(error => {
    const message = `${path} is damaged or was written by another version; nothing was sent`
    throw new CallyardError('conflict', message, {
      code: 'lockfile-journal-damaged',
      hint: `it records what a killed run did; restore it, or delete it and check the service for what ${lockfileName} is missing`,
      ...{ details: { path }, cause: error },
    })
  })
}

/**
 * Reads callyard.lock.yaml together with the journal of a running or killed apply; empty if there is none. `text` is the file's text,
 * `journal` the path of its journal. Looking up ids needs only them, and reads a twentieth.
 * @throws CallyardError `conflict` if the file is unreadable, invalid or was changed since the journal, or if its journal is missing
 */
export async function readLockfile(path: string, name: string, part: LockfilePart = 'all') {
  const journalFile = journalPath(path)
  let lostJournal: OpenJournal | undefined
  // A run that is at work may write the lockfile between the two.
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const lines = await readJournal(journalFile)
    const { lockfile, text, open } = await readWritten(path, name, part)
    const isEmpty = lines === undefined || lines.length === 0
    if (isEmpty && open === undefined) return { lockfile, text, journal: lines && journalFile }
    // What says that there is one was written behind the first line of the journal.
    lostJournal = isEmpty ? open : undefined
    const hash = nameOfText(text)
    /** First line that the lockfile lacks; -1 if its text does not belong to the journal. */
    const start = (lines ?? []).findLastIndex(
      line =>
        (line.line === 'written' && line.hash === hash) || (line.line === 'begin' && line.base === hash),
    )
    if (start !== -1) return { lockfile: replay(lockfile, lines ?? [], start), text, journal: journalFile }
  }
  if (lostJournal === undefined) throw journalOfOtherLockfile(name, journalFile)
  throw journalLost(name, journalFile, lostJournal)
}

function replay(lockfile: Lockfile, lines: readonly JournalLine[], start: number): Lockfile {
  const [firstLine] = lines
  if (firstLine?.line !== 'begin') return lockfile
  const { target } = firstLine
  const knownSection = Object.hasOwn(lockfile.targets, target) ? lockfile.targets[target] : undefined
  // Once it is written, the lockfile has the section.
  const before = start === 0 ? (firstLine.section ?? knownSection) : knownSection
  if (before === undefined) return lockfile
  const section = new JournaledSection(before)
  if (firstLine.stamp !== undefined) section.stamp(firstLine.stamp)
  for (const line of lines.slice(start + 1)) section.apply(line)
  return { targets: { ...lockfile.targets, [target]: section.toSection() } }
}

/** A section of a lockfile while it changes. */
export class JournaledSection {
  #head: Omit<Section, 'resources' | 'teamId'>
  teamId: string | undefined
  readonly #resources: Map<Address, ResourceState | JournaledEntries>

  constructor({ resources, teamId, ...head }: Section) {
    this.#head = head
    this.teamId = teamId
    this.#resources = new Map(Object.entries(resources) as [Address, ResourceState][])
  }

  /** Notes the run that changes the section. */
  stamp(stamp: Stamp): void {
    this.#head = { ...this.#head, ...stamp }
  }

  stateOf(address: Address): ResourceState | undefined {
    const resource = this.#resources.get(address)
    return resource instanceof JournaledEntries ? resource.toState() : resource
  }

  /** Undefined removes the resource; live entries are read at each write. */
  set(address: Address, state: ResourceState | JournaledEntries | undefined): void {
    if (state === undefined) this.#resources.delete(address)
    else this.#resources.set(address, state)
  }

  #entries(address: Address): JournaledEntries {
    const resource = this.#resources.get(address)
    if (resource instanceof JournaledEntries) return resource
    const entries = new JournaledEntries(resource)
    this.#resources.set(address, entries)
    return entries
  }

  apply(line: JournalLine): void {
    if (line.line === 'team') this.teamId ??= line.teamId
    if (line.line === 'resource') this.set(line.address, line.recorded ?? undefined)
    if (line.line === 'step') this.#entries(line.address).ledger.apply(line)
    if (line.line === 'head') {
      const entries = this.#entries(line.address)
      entries.head = line.recorded
      entries.texts.clear()
    }
    if (line.line === 'texts') {
      const { texts } = this.#entries(line.address)
      for (const [key, text] of line.texts) texts.set(key, text)
    }
  }

  toSection(): Section {
    return this.#sectionOf(entries => entries.toState()) as Section
  }

  /** The section with live entries in place: a copy of a million entries takes as much memory again. */
  toWritten(): WrittenSection {
    return this.#sectionOf(entries => ({ ...entries.toState(false), entries: entries.ledger.entries }))
  }

  #sectionOf(recordedOf: (entries: JournaledEntries) => ResourceState | WrittenRecord): WrittenSection {
    const resources = [...this.#resources].map(([address, resource]) => {
      return [address, resource instanceof JournaledEntries ? recordedOf(resource) : resource] as const
    })
    return { ...this.#head, teamId: this.teamId, resources: Object.fromEntries(resources) }
  }
}

/** Recorded state of a knowledge base during a push. Each step costs only what it changes. */
export class JournaledEntries {
  /** Recorded state without entries, texts and pending entries. */
  head: ResourceState
  readonly ledger: PushLedger
  readonly texts: Map<string, EntryText>

  constructor(recorded: ResourceState = { body: {} }, storage?: Partial<LedgerStorage>) {
    const { entries = {}, pending, texts = {}, ...head } = recorded
    this.head = head
    this.ledger = new PushLedger(Object.entries(entries), pending, storage)
    this.texts = new Map(Object.entries(texts))
  }

  /** `hasEntries: false` leaves the entries out. */
  toState(hasEntries = true): ResourceState {
    const { entries, pending } = this.ledger
    const texts = [...this.texts].filter(([key]) => (entries.get(key) ?? null) !== null)
    return {
      ...this.head,
      ...(!hasEntries || entries.size === 0 ? {} : { entries: Object.fromEntries(entries) }),
      ...(texts.length === 0 ? {} : { texts: Object.fromEntries(texts) }),
      ...(pending.length === 0 ? {} : { pending: [...pending] }),
    }
  }
}

/** The lockfile was changed since a run was killed whose journal is still there. */
const journalOfOtherLockfile = (lockfile: string, journal: string) =>
  new CallyardError(
    'conflict',
    `${lockfile} was changed after a run was killed, and ${journal} records what that run did; nothing was sent`,
    {
      code: 'journal-of-other-lockfile',
      hint: `restore ${lockfile} to that version; or delete ${journal} and check the service for what ${lockfile} is missing`,
      details: { lockfile, journal },
    },
  )

/** The lockfile says that a run has a journal, and there is none. */
const journalLost = (lockfile: string, journal: string, { target, begun }: OpenJournal) =>
  new CallyardError(
    'conflict',
    `a run to ${target} at ${begun} did not finish, and its journal ${journal} is missing, so ${lockfile} may not have what it created; nothing was sent`,
    {
      code: 'journal-lost',
      hint: `restore ${journal} from the machine of that run; if it is lost, delete the last line of ${lockfile}, plan to resend everything, check the service for what is blocked, and adopt the ids`,
      details: { lockfile, journal, target, begun },
    },
  )
