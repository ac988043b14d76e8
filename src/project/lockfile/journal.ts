import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Address } from '../../files/formats/address.ts'
import { CallyardError } from '../../lib/error.ts'
import { readSteps } from '../../lib/fs/log.ts'
import { hashContent } from '../../lib/hash.ts'
import { type Immutable, isText } from '../../lib/json.ts'
import {
  emptyLockfile,
  type Lockfile,
  type LockfilePart,
  lockfileName,
  type OpenJournal,
  readWritten,
  sectionSchema,
  stampSchema,
  withoutJournal,
} from './lockfile.ts'
import { patchSchema, TargetState } from './target-state.ts'

/**
 * A line of the journal next to a lockfile: a change that an apply made since the lockfile was written, or the lockfile that has all
 * changes above. Lockfile and lines together describe the target.
 */
const lineSchema = z.union([
  z.object({
    address: z.custom<Address>(isText),
    /** Null removes the resource. */
    patch: z.nullable(patchSchema),
    /** Team id of the response. */
    teamId: z.optional(z.string()),
  }),
  z.object({
    /** Hash of the lockfile's text, which is about to be written; null if there was none. */
    base: z.nullable(z.string()),
    target: z.string(),
    /** The target, if that lockfile lacks it. */
    section: z.optional(sectionSchema),
    stamp: z.optional(stampSchema),
  }),
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
    /** Line of this lockfile; -1 if its text does not belong to the journal. */
    const start = (lines ?? []).findLastIndex(line => 'base' in line && line.base === hash)
    if (start !== -1)
      return { lockfile: replay(lockfile, (lines ?? []).slice(start)), text, journal: journalFile }
  }
  if (lostJournal === undefined) throw journalOfOtherLockfile(name, journalFile)
  throw journalLost(name, journalFile, lostJournal)
}

function replay(lockfile: Lockfile, [base, ...changes]: readonly JournalLine[]): Lockfile {
  if (base === undefined || 'address' in base) return lockfile
  const { target, stamp = {} } = base
  const recorded = Object.hasOwn(lockfile.targets, target) ? lockfile.targets[target] : undefined
  const section = base.section ?? recorded
  if (section === undefined) return lockfile
  const state = new TargetState(lockfile, target, section)
  state.stamp(stamp)
  for (const line of changes) if ('address' in line) state.patch(line.address, line.patch, line.teamId)
  return { targets: { ...lockfile.targets, [target]: state.section } }
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
