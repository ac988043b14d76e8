import { CallwrightError, reasonOf } from '../../lib/error.ts'
import type { Diagnostic, Source } from '../../source/index.ts'
import type { Address } from '../address.ts'
import type { FaqEntry } from './entries.ts'
import type { Target } from './ledger.ts'

/** An entry of which it is not known whether the service has it, as it is named to a person. */
export interface UnknownEntry {
  /** Where it stands now; where it stood when it was sent, if it is no longer in the file. */
  readonly line: number | undefined
  /** As the file writes it; undefined if it is no longer in the file. */
  readonly question: string | undefined
  /** What the service assigned, if that is known. */
  readonly id?: string | undefined
}

type Unknown = readonly UnknownEntry[]

/** The answer to a POST was lost: the batch may be stored or not. */
export function lostAnswer(
  { file }: Source,
  { knowledgeBaseId }: Target,
  entries: Unknown,
  error: CallwrightError,
): CallwrightError {
  const message = `${error.message}\nwhether knowledge base ${knowledgeBaseId} holds these entries is not known:`
  return unknownEntries(file, message, entries, {
    cause: { kind: error.kind, message: error.message, ...error.details },
  })
}

/** The service stored the batch, and did not say clearly which id belongs to which entry. */
export function shortAnswer({ file }: Source, entries: Unknown): CallwrightError {
  return unknownEntries(
    file,
    'the service’s answer does not tell for certain which ids these entries have:',
    entries,
  )
}

/** A push that was killed, or that ended with one of the two above, left a batch open. */
export function openBatch({ file }: Source, { knowledgeBaseId }: Target, entries: Unknown): CallwrightError {
  const message = `an earlier push ended while entries were on their way; whether knowledge base ${knowledgeBaseId} holds these is not known:`
  return unknownEntries(file, message, entries)
}

/** The disk became full just now: the ids are in the error, so that they are not lost. */
export function idsNotKept({ file }: Source, entries: Unknown, error: unknown): CallwrightError {
  const reason = reasonOf(error)
  return new CallwrightError(
    'conflict',
    [
      `the service stored these entries, and their ids could not be kept (${reason}):`,
      ...name(file, entries),
    ].join('\n'),
    {
      hint: 'write these ids into the file before you run again',
      details: { unknown: entries.map(entry => ({ file, ...entry })) },
      cause: error,
    },
  )
}

/** The service stored a batch, and its ids are kept, but not yet in the file. */
export function idsNotWritten(
  { file }: Source,
  count: number,
  { keptIn, cause }: { readonly keptIn: string; readonly cause: CallwrightError },
): CallwrightError {
  const what =
    count === 1
      ? `1 entry is stored; its id is kept in ${keptIn} and is written into ${file} by the next run`
      : `${count} entries are stored; their ids are kept in ${keptIn} and are written into ${file} by the next run`
  return new CallwrightError('partial', `${cause.message}\n${what}`, {
    hint: cause.hint,
    details: { keptIn },
    cause,
  })
}

/** The service stored a batch and its ids are in the file; only that it was pushed could not be recorded. */
export function insertNotRecorded({ file }: Source, count: number, cause: CallwrightError): CallwrightError {
  const what =
    count === 1
      ? `1 entry is stored; its id is in ${file}`
      : `${count} entries are stored; their ids are in ${file}`
  return new CallwrightError('partial', `${cause.message}\n${what}`, { hint: cause.hint, cause })
}

/** The service took the updates, which could not be recorded. */
export function updateNotRecorded(count: number, cause: CallwrightError): CallwrightError {
  const what =
    count === 1
      ? '1 entry is updated, which could not be recorded: the next run updates it again'
      : `${count} entries are updated, which could not be recorded: the next run updates them again`
  return new CallwrightError('partial', `${cause.message}\n${what}`, { hint: cause.hint, cause })
}

/** The ids of one file belong to one knowledge base of one service: what is open there is finished first. */
export function otherTarget({ file }: Source, { knowledgeBaseId, baseUrl }: Target): CallwrightError {
  return new CallwrightError(
    'conflict',
    `an earlier push of ${file} to knowledge base ${knowledgeBaseId} at ${baseUrl} is not finished`,
    { hint: `finish it first, with --kb ${knowledgeBaseId} and --base-url ${baseUrl}` },
  )
}

/** Entries whose place in the file cannot take an id, each with the reason. Found before anything is sent. */
export function noPlaces(
  { file }: Source,
  refused: readonly { entry: Pick<FaqEntry, 'index' | 'position'>; reason: string }[],
): Diagnostic[] {
  return refused.map(({ entry: { index, position }, reason }) => ({
    code: 'no-place-for-id',
    severity: 'error',
    path: ['faq', index],
    at: 'value',
    message: `faq[${index}] cannot take the id that the service will assign: ${reason}`,
    hint: 'write the entry out as a mapping of its own',
    file,
    position,
  }))
}

/** Batches that are done stay done: says so, and with which exit code. Counts go into the details. */
export function afterSomeBatches(
  error: CallwrightError,
  {
    done,
    total,
    ...counts
  }: { readonly done: number; readonly total: number } & Readonly<Record<string, unknown>>,
): CallwrightError {
  const { message, hint, kind } = error
  const details = { ...error.details, ...counts, done, notDone: total - done }
  if (kind === 'cancelled') {
    return new CallwrightError(kind, `${message}; ${done} of ${total} entries are pushed`, {
      hint: 'run again: it sends only the rest',
      details,
      cause: error,
    })
  }
  if (done === 0 || kind === 'conflict')
    return new CallwrightError(kind, message, { hint, details, cause: error })
  return new CallwrightError('partial', `${done} of ${total} entries are pushed; then: ${message}`, {
    hint: hint ?? 'run again when that is solved: it sends only the rest',
    details: { ...details, cause: { kind, message } },
    cause: error,
  })
}

/** The same for a push alone and as a part of an apply, whose lockfile is the ledger of both. */
const lookFor =
  'look into the knowledge base. Entries that are there: write their ids into the file, or put them into another one, one per line in this order, and run callwright faq push'
const others = '; the others: '

/** The same where the push is a part of an apply, which has another way of sending open entries again. */
export function asPartOfApply(
  error: unknown,
  { address, target }: { readonly address: Address; readonly target: string },
): unknown {
  if (!(error instanceof CallwrightError) || error.hint?.startsWith(lookFor) !== true) return error
  const { kind, message, details } = error
  const hint = `${error.hint.split(others)[0]} --target ${target}${others}callwright apply --forget ${address} sends them again`
  return new CallwrightError(kind, message, { hint, details, cause: error })
}

function unknownEntries(
  file: string,
  message: string,
  entries: Unknown,
  details: Record<string, unknown> = {},
): CallwrightError {
  return new CallwrightError('conflict', [message, ...name(file, entries)].join('\n'), {
    hint: `${lookFor} ${file} --adopt-batch ids.txt${others}run again with --resend-unknown`,
    details: { ...details, unknown: entries.map(entry => ({ file, ...entry })) },
  })
}

function name(file: string, entries: Unknown): string[] {
  return entries.map(({ line, question, id }) => {
    const what =
      question === undefined ? '(was there when it was sent, and is not now)' : JSON.stringify(question)
    return `  ${file}${line === undefined ? '' : `:${line}`}: ${what}${id === undefined ? '' : `, stored as ${id}`}`
  })
}
