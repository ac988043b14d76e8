import { dropOldest } from '../../lib/drop-oldest.ts'
import { minShortId, shortIdSharing } from '../../lib/text/did-you-mean.ts'
import { widthOf } from '../../lib/text/layout.ts'
import { createPrefixIndex } from '../../lib/text/prefix-index.ts'
import { blue, cyan, green, magenta, type Text, yellow } from '../../lib/text/text.ts'
import { type CallOrigin, callName } from '../conversation/index.ts'
import { callKey, maxCalls, maxKeyLength, noCall } from './transcript-times.ts'

/** Display name of a call. Never changes while the call is remembered. */
export interface NamedCall {
  /** Unique prefix of its id; `-1` for the first call without id. Accepted by `--call`. */
  readonly shortId: string
  /** The short id, with an explanation if it is not the prefix of an id. */
  readonly title: string
  readonly color: (words: Text) => Text
}

/** Names displayed calls by the shortest prefix that no earlier call has. The cost of an event depends only on the id's length. */
export function createCallNames() {
  const calls = new Map<string, NamedCall & { readonly indexed: string | undefined; isLive: boolean }>()
  const prefixes = createPrefixIndex(minShortId)
  const colors = createTagColors()
  let live = 0
  let tagColumns = minTagColumns

  const shorten = (id: string, key: string) => {
    const indexed = id.slice(0, maxKeyLength)
    const shared = prefixes.sharedWith(indexed)
    prefixes.add(indexed)
    return { shortId: shared < maxKeyLength ? shortIdSharing(id, shared) : key, indexed }
  }
  const end = (key: string) => {
    const call = calls.get(key)
    if (call?.isLive !== true) return
    call.isLive = false
    live--
    colors.release(call.color)
  }
  const forget = (key: string) => {
    end(key)
    const indexed = calls.get(key)?.indexed
    if (indexed !== undefined) prefixes.remove(indexed)
    calls.delete(key)
  }
  const add = (key: string, { callId, conversation }: CallOrigin) => {
    const { shortId, indexed } =
      callId === null
        ? { shortId: callName({ callId, conversation }), indexed: undefined }
        : shorten(callId, key)
    const isLive = key !== noCall
    const explanation = isLive ? 'call without id' : 'no call'
    const title = callId === null ? `${shortId} (${explanation})` : shortId
    const call = { shortId, title, color: colors.acquire(), indexed, isLive }
    if (isLive) live++
    else colors.release(call.color)
    calls.set(key, call)
    tagColumns = Math.min(maxTagColumns, Math.max(tagColumns, widthOf(shortId)))
    dropOldest({ size: calls.size, keys: () => calls.keys(), delete: forget }, maxCalls)
    return call
  }
  return {
    has: (origin: CallOrigin) => calls.has(callKey(origin)),
    /** Adds the call if it is new. */
    nameOf(origin: CallOrigin): NamedCall {
      const key = callKey(origin)
      return calls.get(key) ?? add(key, origin)
    },
    /** Ends a call. It keeps its name. */
    end: (origin: CallOrigin) => end(callKey(origin)),
    isLive: (origin: CallOrigin) => calls.get(callKey(origin))?.isLive === true,
    /** Number of calls that are named and have not ended. */
    get live() {
      return live
    },
    /** Width of the tag column. Grows with longer short ids and never shrinks. */
    get tagColumns() {
      return tagColumns
    },
  }
}

const minTagColumns = 'CC-7d3f2c1e'.length
const maxTagColumns = 24

const tagColors = [blue, magenta, yellow, cyan, green] as const

/** Assigns the color with the fewest live calls, round robin. */
function createTagColors() {
  const users = new Map<NamedCall['color'], number>(tagColors.map(color => [color, 0]))
  return {
    acquire(): NamedCall['color'] {
      const [color, count] = [...users].reduce((least, user) => (user[1] < least[1] ? user : least))
      // Moves it to the end of the turn.
      users.delete(color)
      users.set(color, count + 1)
      return color
    },
    release(color: NamedCall['color']): void {
      users.set(color, (users.get(color) ?? 0) - 1)
    },
  }
}
