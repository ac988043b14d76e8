import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import type { FieldPath } from '../interface/finding.ts'

/** An event of js-yaml, or one made of a node of the strict parser, which says itself where it begins and what it holds. */
export type NodeEvent = Event & { readonly node?: KnownNode }

export interface KnownNode {
  /** Undefined for a node that is not there, not even with a colon. */
  readonly start: number | undefined
  /** Of a scalar, decoded. */
  readonly text?: string | undefined
  /** Its anchor, or the one that an alias names. */
  readonly anchor?: string | undefined
  /** In full: `tag:yaml.org,2002:str`. */
  readonly tag?: string | undefined
}

/** The text of a scalar, its escapes and folds undone. */
export function writtenText(event: ScalarEvent & NodeEvent, text: string): string {
  return event.node?.text ?? getScalarValue(text, event)
}

/** The index after a node with all that it holds. */
export function afterNode(events: readonly NodeEvent[], start: number): number {
  let depth = 0
  for (let index = start; index < events.length; index += 1) {
    const type = events[index]?.type
    if (type === EVENT_ID.POP) depth -= 1
    else if (type !== EVENT_ID.SCALAR && type !== EVENT_ID.ALIAS) depth += 1
    if (depth === 0) return index + 1
  }
  return events.length
}

/**
 * Where a node begins in the text: its quote, its bracket, its `|`, its first key or its first dash. `endBefore`: where the one
 * before it ends, if that is known.
 */
export function startOf(
  text: string,
  events: readonly NodeEvent[],
  index: number,
  endBefore?: number,
): number | undefined {
  const event = events[index]
  if (event?.node !== undefined) return event.node.start
  if (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE) return event.start
  if (event?.type !== EVENT_ID.SCALAR) return undefined
  const { style, valueStart } = event
  if (valueStart === -1) return startOfEmpty(text, events, index, endBefore)
  if (style === SCALAR_STYLE.PLAIN) return valueStart
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) return valueStart - 1
  const lineStart = text.lastIndexOf('\n', valueStart - 2) + 1
  const header = /[|>][-+\d]*[ \t]*(?:[ \t]#.*)?\r?\n?$/.exec(text.slice(lineStart, valueStart))
  return lineStart + (header?.index ?? 0)
}

/** A value that is left out stands behind the colon or dash that asks for it. */
function startOfEmpty(
  text: string,
  events: readonly NodeEvent[],
  index: number,
  endBefore?: number,
): number | undefined {
  let next = index
  while (endBefore === undefined && isUnwritten(events[next - 1]) && index - next < maxEmpty) next -= 1
  let end = endBefore ?? endOf(events[next - 1], startOf(text, events, next - 1, 0))
  for (; next <= index; next += 1) {
    if (events[next]?.type === EVENT_ID.POP) continue
    const gap = events[next - 1]?.type === EVENT_ID.POP ? gapBehindList : gapBehindText
    const found = gap.exec(text.slice(end, end + maxGap))
    if (found === null) return undefined
    end += found[0].length
  }
  return end
}

/** Values without a place, one behind the other. */
const maxEmpty = 1000

function isUnwritten(event: NodeEvent | undefined): boolean {
  return event?.type === EVENT_ID.POP || (event?.type === EVENT_ID.SCALAR && event.valueEnd === -1)
}

function endOf(event: NodeEvent | undefined, start = 0): number {
  return event?.type === EVENT_ID.SCALAR && event.valueEnd !== -1 ? event.valueEnd : start
}

const gapBehindText = /^["']?(?:\s|#.*\r?\n)*[:-][ \t]*/
const gapBehindList = /^["']?(?:[\s\]},]|#.*\r?\n)*[:-][ \t]*/

/** White space between what stands before an empty value and its colon: more than a person leaves. */
const maxGap = 1000

/** Where a node begins, and the same of its key and of all that it holds. */
interface Place {
  readonly offset: number | undefined
  readonly keyOffset?: number | undefined
  /** Of a scalar without quotes. */
  readonly written?: string | undefined
  readonly inner?: ReadonlyMap<string | number, Place>
}

/** Where the fields of a document stand. */
export interface Places {
  /**
   * Where the key or value of a field begins. A missing field is looked for at its nearest ancestor: the key of the
   * mapping it belongs to, or the list item. What stands behind an alias is at the alias.
   */
  offsetOf(path: FieldPath, at: 'key' | 'value'): number | undefined
  /** The characters of a scalar as the file writes it without quotes; undefined for anything else. */
  writtenAt(path: FieldPath): string | undefined
}

/** The places of the first document. */
export function placesOf(text: string, events: readonly NodeEvent[]): Places {
  let next = 1
  let end = 0
  const startOfNext = (index: number) => {
    const start = startOf(text, events, index, end)
    end = endOf(events[index], start ?? end)
    return start
  }
  const read = (keyOffset?: number): Place => {
    const index = next
    const event = events[index]
    next += 1
    const offset = startOfNext(index)
    if (event?.type === EVENT_ID.SCALAR) {
      const isWritten = event.style === SCALAR_STYLE.PLAIN && offset !== undefined
      return { offset, keyOffset, written: isWritten ? writtenText(event, text) : undefined }
    }
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return { offset, keyOffset }
    const inner = new Map<string | number, Place>()
    while (next < events.length && events[next]?.type !== EVENT_ID.POP) {
      const key = event.type === EVENT_ID.MAPPING ? events[next] : undefined
      const keyStart = key === undefined ? undefined : startOfNext(next)
      if (key !== undefined) next = afterNode(events, next)
      const place = read(keyStart)
      const name = key?.type === EVENT_ID.SCALAR ? writtenText(key, text) : undefined
      if (key === undefined) inner.set(inner.size, place)
      else if (name !== undefined && !inner.has(name)) inner.set(name, place)
    }
    next += 1
    return { offset, keyOffset, inner }
  }
  const root = read()
  return {
    offsetOf(path, at) {
      let place = root
      let offset = root.offset
      for (const [depth, part] of path.entries()) {
        const found = place.inner?.get(part)
        if (found === undefined) return offset
        place = found
        const wantsValue = depth === path.length - 1 && at === 'value'
        offset = (wantsValue ? found.offset : found.keyOffset) ?? found.offset ?? found.keyOffset ?? offset
      }
      return offset
    },
    writtenAt: path =>
      path.reduce<Place | undefined>((place, part) => place?.inner?.get(part), root)?.written,
  }
}
