import { CallyardError } from '../../lib/error.ts'
import { beginningHint } from '../../lib/text/did-you-mean.ts'

export interface OtherRun {
  readonly pid: number
  readonly host: string
}

export function runOf(holder: OtherRun | undefined): OtherRun | undefined {
  return holder && { pid: holder.pid, host: holder.host }
}

/** ` (process 4711 on laptop)`. */
export const processOf = (holder: OtherRun | undefined) =>
  holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`

/** Error for the beginning of several ids of entries. */
export const ambiguousEntry = (text: string, ids: readonly string[]) =>
  new CallyardError('usage', `${text} matches ${ids.length} entries`, {
    code: 'forget-ambiguous',
    hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id),
    details: { text, ids },
  })
