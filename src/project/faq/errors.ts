import { CallyardError, getErrorReason } from '../../lib/error.ts'

/** An entry of which it is not known whether the service has it. */
export interface UnknownEntry {
  readonly file?: string
  /** Current line, or the line when it was sent if it is no longer in the file. */
  readonly line: number | undefined
  /** Text in the file; undefined if it is no longer there. */
  readonly question: string | undefined
  /** Id from the service, if known. */
  readonly id?: string | undefined
}

/** Nothing of this push was sent; leftovers of an earlier push are kept in `pendingFile`. */
export function nothingSent(error: CallyardError, pendingFile?: string): CallyardError {
  const left = pendingFile && `; unfinished work of an earlier push is still in ${pendingFile}`
  return new CallyardError(error.kind, `${error.message}\nnothing was sent${left ?? ''}`, {
    code: 'nothing-sent',
    details: { ...error.details, pendingFile },
    cause: error,
  })
}

interface UnknownBatch {
  readonly file: string
  readonly knowledgeBaseId: string
  readonly unknown: readonly UnknownEntry[]
}

/** The response was lost, so the service may or may not have the batch. */
export const answerLost = (batch: UnknownBatch, cause: CallyardError) =>
  new CallyardError('conflict', `${cause.message}\n${isUnknown(batch)}`, {
    ...{ code: 'answer-lost', hint: settleHint, cause },
    details: { ...batch },
  })

/** An earlier push left a batch whose outcome at the service is unknown. */
export const batchOpen = (batch: UnknownBatch) =>
  new CallyardError('conflict', `an earlier push was interrupted while sending; ${isUnknown(batch)}`, {
    ...{ code: 'batch-open', hint: settleHint },
    details: { ...batch },
  })

/** The service has the batch, but its response does not identify the ids. */
export function answerUnclear(batch: UnknownBatch, cause?: CallyardError): CallyardError {
  const earlier = cause === undefined ? '' : `${cause.message}\n`
  const message = `${earlier}the response does not show for certain which ids these entries have:${listing(batch.file, batch.unknown)}`
  return new CallyardError(cause === undefined ? 'conflict' : 'partial', message, {
    ...{ code: 'answer-unclear', hint: settleHint, cause },
    details: { ...batch },
  })
}

const settleHint =
  'check the knowledge base. For entries that exist, write their ids into the file, or list the ids in the order of the batch and adopt them; send the others again'

const isUnknown = (batch: UnknownBatch) =>
  `it is unknown whether knowledge base ${batch.knowledgeBaseId} has these entries:${listing(batch.file, batch.unknown)}`

/** The service has the batch, and its ids could be kept nowhere but here. */
export const idsNotKept = (file: string, unknown: readonly UnknownEntry[], cause: unknown) =>
  new CallyardError(
    'conflict',
    `the service stored these entries, but their ids could not be saved (${getErrorReason(cause)}):${listing(file, unknown)}`,
    {
      ...{ code: 'ids-not-kept', hint: 'write these ids into the file before you run again' },
      ...{ details: { file, unknown }, cause },
    },
  )

function listing(file: string, unknown: readonly UnknownEntry[]): string {
  return unknown
    .map(({ line, question, id }) => {
      const questionText = question === undefined ? '(no longer in the file)' : JSON.stringify(question)
      return `\n  ${file}${line === undefined ? '' : `:${line}`}: ${questionText}${storedAs(id)}`
    })
    .join('')
}

export const storedAs = (id: string | undefined) => (id === undefined ? '' : `, stored as ${id}`)
