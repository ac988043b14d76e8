import { isObject } from '../../lib/json.ts'
import { type CallRequest, startRequest } from '../place/index.ts'
import { maskedBatch } from './batch-record.ts'
import { type Person, shownVariablesOf, variablesOf } from './contacts.ts'
import type { OpenBatch } from './open-batch.ts'

/** A call that is about to be placed. */
export interface CallJob {
  /** Key of the attempt in the journal. */
  readonly attempt: string
  readonly person: Person
  readonly from: string
  readonly to: string
  /** Number of this call to the person, from 1. */
  readonly number: number
}

/**
 * Returns the request of a call (interface.md 4.1). Its metadata has the name of the batch, the person and the number of the attempt.
 * `isShown`: without values from the environment.
 */
export function batchRequest(
  { person, from, to, number }: Omit<CallJob, 'attempt'>,
  opened: OpenBatch,
  { isShown = false } = {},
): CallRequest & { readonly variables: Readonly<Record<string, string>> } {
  const { way, path, body } = startRequest({ from, to })
  const { batch, assistant, name } = opened
  const values = isShown ? shownVariablesOf(person, opened) : variablesOf(person, opened)
  const overrides =
    Object.keys(values).length === 0 ? {} : { assistantOverrides: { dynamicVariables: values } }
  const own = isShown ? maskedBatch(opened).metadata : batch.metadata
  const metadata = { ...(isObject(own) ? own : {}), batch: name, person: person.id, attempt: number }
  return {
    way,
    path,
    variables: values,
    body: { ...body, ...(isShown ? assistant?.masked : assistant?.fields), ...overrides, metadata },
  }
}
