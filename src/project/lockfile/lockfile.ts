import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { type Address, isAddress, kindOfAddress } from '../../files/formats/address.ts'
import { type Diagnostic, displayName, findConflictMarker, readSource } from '../../files/source/index.ts'
import { createLineIndex } from '../../files/text/index.ts'
import { check } from '../../interface/check.ts'
import { idText } from '../../interface/fields.ts'
import type { FieldPath } from '../../interface/finding.ts'
import { CallyardError, getErrorReason } from '../../lib/error.ts'
import { type Immutable, isObject } from '../../lib/json.ts'
import { shortIds } from '../../lib/text/did-you-mean.ts'
import { entryTextSchema, pendingEntrySchema, recordedEntrySchema } from './ledger.ts'

export const lockfileName = 'callyard.lock.yaml'

/** The lockfile of a project: its absolute path, and its name as people see it. */
export function lockfileLocation(
  folder: string,
  { cwd }: { readonly cwd: string },
): { readonly path: string; readonly name: string } {
  const path = join(folder, lockfileName)
  return { path, name: displayName(path, cwd) }
}

/**
 * A body before references are resolved, with hashes of their values: enough to detect any change and to show the old text, without
 * storing secrets.
 */
export const snapshotSchema = z.strictObject({
  /** Real words for placeholders, references unresolved. */
  body: z.record(z.string(), z.unknown()),
  /** Environment variable → salted hash of its value, without empty variables. */
  env: z.optional(z.record(z.string(), z.string())),
  /** Path as written in the file → content when it was sent. */
  files: z.optional(z.record(z.string(), z.object({ hash: z.string(), text: z.string() }))),
  /** Ids that replaced references, by referenced resource. */
  ids: z.optional(z.record(z.custom<Address>(), z.string())),
})
export type Snapshot = Immutable<z.infer<typeof snapshotSchema>>

/** Recorded state of a resource: the last sent body, and what is in flight. */
export const recordedSchema = z.extend(snapshotSchema, {
  /** Id of a tool or an assistant; that of a knowledge base is in `body`. Absent until the resource is created. */
  id: z.optional(z.string()),
  /** Ids of earlier assistants in whose place this one was made; they may still exist. */
  replaced: z.optional(z.array(z.string())),
  /** Sent by a POST without a response: the resource may exist under an unknown id. */
  creating: z.optional(snapshotSchema),
  /** Sent by an update without a response: each field has its old or its new value. */
  updating: z.optional(snapshotSchema),
  /** Entries of a knowledge base. */
  entries: z.optional(z.record(z.string(), recordedEntrySchema())),
  /** Texts of `entries` when their hashes were computed, by the same key; absent for a large knowledge base. */
  texts: z.optional(z.record(z.string(), entryTextSchema())),
  /** Entries that were sent and whose ids are not in the file yet. */
  pending: z.optional(z.array(pendingEntrySchema())),
})
export type ResourceState = Immutable<z.infer<typeof recordedSchema>>

const stampFields = {
  /** Number of runs that changed this target. Absent until the first one. */
  serial: z.optional(z.int()),
  /** Start of the last one, ISO 8601. */
  applied: z.optional(z.string()),
  /** User and host of the last one. */
  by: z.optional(z.string()),
}
export const stampSchema = z.object(stampFields)
/** Which run wrote a section. */
export type Stamp = Immutable<z.infer<typeof stampSchema>>

/** Recorded state of one target. */
export const sectionSchema = z.strictObject({
  baseUrl: z.string(),
  /** Team id from the service; absent until a response contains one. */
  teamId: z.optional(z.string()),
  /** Salt of the hashes of values from the environment. */
  salt: z.string(),
  ...stampFields,
  /** Ids that a person took out of the lockfile; a file with the address of one may be created again. */
  forgotten: z.optional(z.array(z.string())),
  resources: z.record(z.custom<Address>(), recordedSchema).check(z.superRefine(checkResources)),
})
export type Section = Immutable<z.infer<typeof sectionSchema>>

const openJournalSchema = z.strictObject({ target: z.string(), begun: z.string() })
const lockfileSchema = z.strictObject({
  version: z.literal(1),
  targets: z.record(z.string(), sectionSchema),
  journal: z.optional(openJournalSchema),
})

/** Which run has a journal beside the lockfile: it does not end with this word, so a lost journal is noticed. */
export type OpenJournal = z.infer<typeof openJournalSchema>

/** Initial lockfile, written before the first change. */
export const emptyLockfile = '# Nothing is applied yet.\nversion: 1\ntargets: {}\n'

const aboveJournal =
  '# A run is in progress or was killed: .callyard/lockfile.ndjson has its latest changes, which the next run adds here.\n'

/** Last lines of a lockfile whose journal is open. They are added and removed without changing the lines above. */
export function journalText({ target, begun }: OpenJournal): string {
  return `${aboveJournal}journal: ${JSON.stringify({ target, begun })}\n`
}

/** Removes these lines from the end of a lockfile's text. */
export function withoutJournal(text: string): string {
  const start = text.lastIndexOf(aboveJournal)
  const isLast = start !== -1 && /^#[^\n]*\njournal: [^\n]*\n$/.test(text.slice(start))
  return isLast ? text.slice(0, start) : text
}

/** A tool or an assistant was created, or is on its way: one that is neither was damaged, and would be created again. */
function checkResources(
  resources: Readonly<Record<string, { id?: unknown; creating?: unknown }>>,
  { addIssue }: z.core.$RefinementCtx,
): void {
  for (const [address, { id, creating }] of Object.entries(resources)) {
    if (isAddress(address) && (kindOfAddress(address) === 'kb' || id !== undefined || creating !== undefined))
      continue
    const message = isAddress(address) ? `${address} has no id` : `${address} is not an address of a resource`
    addIssue({ code: 'custom', input: address, path: [address], message, params: { at: 'key' } })
  }
}

/** Returns the recorded state of a resource by its address. */
export function findState({ resources }: Section, address: Address): ResourceState | undefined {
  return Object.hasOwn(resources, address) ? resources[address] : undefined
}

/** Former ids of a resource; undefined if there are none. */
export function formerIds(lastState: ResourceState | undefined, id: string): readonly string[] | undefined {
  const { id: old, replaced = [] } = lastState ?? { body: {} }
  const formerIdList = old === undefined || old === id ? replaced : [...replaced, old]
  return formerIdList.length === 0 ? undefined : formerIdList
}

export interface Lockfile {
  readonly targets: Readonly<Record<string, Section>>
}

/** Part of a lockfile to read. `ids`: knowledge bases have no entries and no texts, which are most of a lockfile. */
export type LockfilePart = 'all' | 'ids'

/**
 * Reads callyard.lock.yaml without its journal: its content, its text, and the run whose journal is open (`open`); empty and without
 * text if the file does not exist.
 * @throws CallyardError `conflict` when it cannot be read, or the part holds what no apply wrote.
 */
export async function readWritten(path: string, name: string, part: LockfilePart) {
  const partOf = part === 'all' ? undefined : withoutEntries
  const reading = { cwd: dirname(path), ownContent: 'all' } as const
  const source = await readSource(path, { ...reading, partOf })
  const { text, diagnostics } = source
  const [flaw] = diagnostics
  const none: Lockfile = { targets: {} }
  if (flaw?.code === 'missing-file') return { lockfile: none }
  const marker = findConflictMarker(text)
  if (marker !== undefined) {
    const { line } = createLineIndex(text)(marker.offset ?? 0)
    throw unusable('lockfile-merge', name, 'unresolved merge conflict', {
      line,
      hint: 'keep the resources of both sides, and set serial to one more than the higher one; a resource whose id is lost is created again',
    })
  }
  // Recorded bodies may contain what a project's files may not, so they are read without these checks.
  const value = flaw === undefined ? source.value : await readAsWritten(text, name, flaw)
  const locate = async (fieldPath: FieldPath, at: 'key' | 'value') => {
    const whole = partOf === undefined ? source : await readSource(path, reading)
    return whole.positionOf(fieldPath, at)
  }
  const reserved = findReserved(value, [], ['targets', 'resources', 'entries'])
  if (reserved !== undefined)
    throw unusable('lockfile-name', name, 'invalid name __proto__', {
      name: '__proto__',
      ...(await locate(reserved, 'key')),
    })
  const parsed = z.safeParse(lockfileSchema, value)
  const version = isObject(value) ? value.version : undefined
  if (typeof version === 'number' && version > 1)
    throw unusable('lockfile-version', name, `unsupported version ${version} (supported: 1)`, {
      version,
      hint: 'it was written by a newer callyard; upgrade callyard',
      ...(await locate(['version'], 'value')),
    })
  if (parsed.success) {
    const { targets, journal } = parsed.data
    return { lockfile: { targets }, text, open: journal }
  }
  const [finding] = check(lockfileSchema, value)
  throw damaged(name, finding?.message ?? '', finding && (await locate(finding.path, finding.at)))
}

/** Only indented lines are left out, so a merge conflict among them remains. */
function withoutEntries(text: string): string {
  const head = /\n {8}(?:entries|texts):(?=\n {10})/g
  let part = ''
  let from = 0
  while (head.test(text)) {
    part += `${text.slice(from, head.lastIndex)} {}`
    from = head.lastIndex
    while (text.startsWith(entryIndent, from) || text.startsWith('\n\n', from)) {
      const next = text.indexOf('\n', from + 1)
      from = next === -1 ? text.length : next
    }
    head.lastIndex = from
  }
  return part + text.slice(from)
}

const entryIndent = '\n          '

async function readAsWritten(text: string, name: string, { message }: Diagnostic): Promise<unknown> {
  if (text === '') throw damaged(name, message)
  const { parse } = await import('yaml')
  try {
    return parse(text)
  } catch (error) {
    const [message = ''] = getErrorReason(error).split('\n')
    const [, reason = message, line, column] = /^(.*) at line (\d+), column (\d+):?$/.exec(message) ?? []
    throw damaged(name, reason, line === undefined ? {} : { line: Number(line), column: Number(column) })
  }
}

const damaged = (name: string, reason: string, position = {}) =>
  unusable('lockfile-damaged', name, reason, { reason, ...position })

function unusable(
  code: string,
  lockfile: string,
  reason: string,
  {
    hint = 'restore it from version control; without it, everything would be created again',
    ...details
  }: {
    readonly hint?: string
    readonly line?: number
    readonly column?: number
    readonly [detail: string]: unknown
  },
): CallyardError {
  const location = [lockfile, details.line, details.column].filter(part => part !== undefined).join(':')
  return new CallyardError('conflict', `${location} cannot be used: ${reason}; nothing was sent`, {
    ...{ code, hint },
    details: { lockfile, ...details },
  })
}

/** A target, address or entry called `__proto__` is invisible to a schema, so that its content would be lost. */
function findReserved(
  value: unknown,
  path: FieldPath,
  [field = '', ...deeper]: readonly string[],
): FieldPath | undefined {
  const members = isObject(value) ? value[field] : undefined
  if (!isObject(members)) return undefined
  const here = [...path, field]
  if (Object.hasOwn(members, '__proto__')) return [...here, '__proto__']
  if (deeper.length === 0) return undefined
  for (const [name, member] of Object.entries(members)) {
    const reserved = findReserved(member, [...here, name], deeper)
    if (reserved !== undefined) return reserved
  }
  return undefined
}

export interface ProjectTarget {
  /** The section of the lockfile. */
  readonly name: string
  /** Base URL in normal form; undefined if none is set, as for a plan without a service. */
  readonly baseUrl: string | undefined
  /** True if a second target at a known base URL is allowed, or one that replaces a target that is gone. */
  readonly isNew: boolean
  /** Team of the service at the base URL, if the service reports it. */
  readonly teamId?: string | undefined
}

/**
 * The section of a target; an empty one for a new target.
 * @throws CallyardError `conflict` when the lockfile knows the target at another base URL, or the base URL as another target.
 */
export function selectSection(
  { targets }: Lockfile,
  { name, baseUrl, isNew, teamId }: ProjectTarget,
): Section {
  const section = Object.hasOwn(targets, name) ? withoutEmpty(targets[name]) : undefined
  if (section === undefined) {
    const twin = Object.entries(targets).find(([, other]) => withoutEmpty(other)?.baseUrl === baseUrl)?.[0]
    if (twin !== undefined && !isNew) throw targetTwice(name, twin, baseUrl ?? '')
    return { baseUrl: baseUrl ?? '', salt: newSalt(), resources: {} }
  }
  if (baseUrl !== undefined && baseUrl !== section.baseUrl)
    throw targetElsewhere(name, section.baseUrl, baseUrl)
  if (teamId === undefined || section.teamId === undefined || section.teamId === teamId) return section
  if (isNew) return renewSection(section)
  const short = shortIds([section.teamId, teamId])
  throw otherSandbox({
    target: name,
    baseUrl: section.baseUrl,
    recorded: short.get(section.teamId) ?? section.teamId,
    found: short.get(teamId) ?? teamId,
    otherSandbox: teamId,
  })
}

/** The lockfile knows the base URL as another target. */
const targetTwice = (target: string, recorded: string, baseUrl: string) =>
  new CallyardError(
    'conflict',
    `${lockfileName} has ${baseUrl} as target ${recorded} and no target ${target}, so everything would be created again; nothing was sent`,
    {
      code: 'target-twice',
      hint: `use target ${recorded}, or make ${target} a new target to create everything twice`,
      details: { target, recorded, baseUrl },
    },
  )

/** The lockfile knows the target at another base URL. */
const targetElsewhere = (target: string, recorded: string, baseUrl: string) =>
  new CallyardError(
    'conflict',
    `target ${target} is at ${recorded} in ${lockfileName}, not at ${baseUrl}; nothing was sent`,
    {
      code: 'target-elsewhere',
      hint: `use the profile or base URL of ${target}, or another target`,
      details: { target, recorded, baseUrl },
    },
  )

/** A different sandbox responds at the recorded address. Both are named by the start of their team id. */
function otherSandbox(
  details: Readonly<Record<'target' | 'baseUrl' | 'recorded' | 'found' | 'otherSandbox', string>>,
): CallyardError {
  const { target, baseUrl, recorded, found } = details
  return new CallyardError(
    'conflict',
    `the sandbox at ${baseUrl} (${found}) is not the one of target ${target} in ${lockfileName} (${recorded}); nothing was sent`,
    {
      code: 'other-sandbox',
      hint: 'start the other one, or create everything in this sandbox, as a new target',
      details,
    },
  )
}

/** Everything is created again; that the file has ids of entries which are not of this target is all that is kept. */
function renewSection({ baseUrl, resources }: Section): Section {
  const entries = Object.entries(resources).flatMap(([address, lastState]): [Address, ResourceState][] => {
    const keys = Object.keys(lastState.entries ?? {})
    const removedEntries = Object.fromEntries(keys.map(key => [key, null]))
    return isAddress(address) && keys.length > 0 ? [[address, { body: {}, entries: removedEntries }]] : []
  })
  return { baseUrl, salt: newSalt(), resources: Object.fromEntries(entries) }
}

/** Returns undefined for a section without recorded resources: a first apply may have had the wrong URL and sent nothing. */
function withoutEmpty(section: Section | undefined): Section | undefined {
  const empty = section?.teamId === undefined && Object.values(section?.resources ?? {}).every(isNothing)
  return empty ? undefined : section
}

function isNothing({ id, creating, entries, pending }: ResourceState): boolean {
  return [id, creating, entries, pending].every(field => field === undefined)
}

/**
 * `created` is the id of the created resource; undefined for an update.
 * @throws CallyardError `conflict` when a response comes from a different team than the lockfile names
 */
export function checkTeam(
  teamId: string | undefined,
  response: unknown,
  sentResource: { readonly target: string; readonly address: string; readonly created?: string | undefined },
): void {
  const otherTeam = idText().safeParse(response).data
  if (teamId === undefined || otherTeam === undefined || otherTeam === teamId) return
  const { target, address, created } = sentResource
  const doneText = created === undefined ? 'updated there' : `created there as ${created}`
  throw new CallyardError(
    'conflict',
    `the API key belongs to team ${otherTeam}, but target ${target} is team ${teamId} in ${lockfileName}; ${address} was ${doneText}, and nothing more was sent`,
    {
      code: 'other-team',
      hint: `use a key of team ${teamId}, or another target for the other account`,
      details: { ...sentResource, recorded: teamId, otherTeam },
    },
  )
}

export function newSalt(): string {
  return randomBytes(12).toString('base64url')
}
