import { CallwrightError } from '../../lib/error.ts'
import type { Diagnostic, Source } from '../../source/index.ts'
import type { Address } from '../address.ts'
import { projectError, type UnknownEntry } from '../errors.ts'
import type { FaqEntry } from './entries.ts'
import type { OpenEntry } from './recover.ts'
import type { SplicedFile } from './splice.ts'

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

interface Done {
  readonly done: number
  readonly total: number
}

/** Batches that are done stay done: says so, and with which exit code. Counts go into the details. */
export function afterSomeBatches(
  error: CallwrightError,
  { done, total, ...counts }: Done & Readonly<Record<string, unknown>>,
): CallwrightError {
  const { kind } = error
  const details = { ...error.details, ...counts, done, notDone: total - done, total }
  if (kind === 'cancelled') return projectError(kind, 'push-cancelled', details, error)
  if (done === 0 || kind === 'conflict') return error.withDetails(details)
  return projectError('partial', 'push-in-part', details, error)
}

/** The same where the push is a part of an apply, which has another way of sending open entries again. */
export function asPartOfApply(
  error: unknown,
  applied: { readonly address: Address; readonly target: string },
): unknown {
  const isOpen =
    error instanceof CallwrightError &&
    (error.code === 'answer-lost' || error.code === 'answer-unclear' || error.code === 'batch-open')
  return isOpen ? error.withDetails({ applied }) : error
}

interface Lines {
  readonly spliced: Pick<SplicedFile, 'addedLines'>
}

/** Where an entry stands in the file as it is now, with the ids that were written above it. */
export function lines({ spliced }: Lines): (entry: FaqEntry) => number | undefined {
  const added = spliced.addedLines()
  return ({ index, position }) => (position === undefined ? undefined : position.line + added(index))
}

/** How an entry is named to a person. */
export function naming(
  where: Lines & { readonly file: { readonly source: Source } },
): (entry: FaqEntry) => UnknownEntry {
  const lineOf = lines(where)
  const { file } = where.file.source
  return entry => ({ file, line: lineOf(entry), question: entry.label })
}

/** How an entry of an unfinished batch is named; it may have left the file since. */
export function namer(where: Parameters<typeof naming>[0]): (open: OpenEntry) => UnknownEntry {
  const name = naming(where)
  const { file } = where.file.source
  return ({ entry, pending: { line, id } }) =>
    entry === undefined ? { file, line, question: undefined, id } : { ...name(entry), id }
}
