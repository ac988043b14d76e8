import type { Sleeper } from '../../lib/clock.ts'
import { escapeRegExp } from '../../lib/text/escape.ts'
import type { CallStore } from './call-store.ts'
import type { PageCall } from './page-call.ts'

/**
 * Finds the calls whose id, numbers, names or texts contain the words of a query, ignoring case; newest first. Only the first words of
 * a long query count. Yields after this many characters, also within a call, so that events are handled meanwhile.
 */
export async function searchCalls(
  store: CallStore,
  query: string,
  { clock, signal }: { readonly clock: Sleeper; readonly signal: AbortSignal },
): Promise<number[]> {
  const words = wordsOf(query)
  const matchingKeys: number[] = []
  let readLength = 0
  for (const call of [...store.calls()].reverse()) {
    let missing = words
    for (const piece of piecesOf(call)) {
      if (missing.length === 0) break
      readLength += piece.length * missing.length
      missing = missing.filter(word => !word.test(piece))
      if (readLength < charactersAtOnce) continue
      readLength = 0
      await clock.sleep(0)
      if (signal.aborted) return []
    }
    if (missing.length === 0) matchingKeys.push(call.key)
  }
  return matchingKeys
}

/** Finds a word in one pass over a text, without a copy of it in lower case. */
function wordsOf(query: string): RegExp[] {
  return query
    .slice(0, maxQueryLength)
    .split(/\s+/)
    .filter(word => word !== '')
    .slice(0, maxTerms)
    .map(word => new RegExp(escapeRegExp(word), 'iu'))
}

const maxTerms = 8
/** Characters. */
const maxQueryLength = 200
const charactersAtOnce = 1024 ** 2

/** Yields the texts of a call; long ones in overlapping pieces, so that each word is whole in one of them. */
function* piecesOf(call: PageCall): Iterable<string> {
  for (const text of textsOf(call)) {
    for (let at = 0; at === 0 || at < text.length; at += maxPieceLength)
      yield text.length <= maxPieceLength ? text : text.slice(at, at + maxPieceLength + maxQueryLength)
  }
}

const maxPieceLength = 64 * 1024

function* textsOf({ builder: { call } }: PageCall): Iterable<string> {
  if (call.callId !== null) yield call.callId
  for (const name of [
    'customerName',
    'userNumber',
    'assistantNumber',
    'assistantName',
    'assistantId',
  ] as const) {
    const fact = call[name]
    if (fact !== null) yield fact
  }
  for (const { status } of call.statuses) yield status
  for (const { text } of call.messages) yield text
}
