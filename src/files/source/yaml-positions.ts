import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import type { FieldPath } from '../../interface/finding.ts'

/** An event of js-yaml, or one made from a node of the strict parser. */
export type NodeEvent = Event & { readonly node?: StrictNode }

export interface StrictNode {
  /** Undefined for a missing node without even a colon. */
  readonly start: number | undefined
  /** Decoded text of a scalar. */
  readonly text?: string | undefined
  /** Name of the anchor, or of the alias's target. */
  readonly anchor?: string | undefined
  /** Full form: `tag:yaml.org,2002:str`. */
  readonly tag?: string | undefined
}

/** Returns the text of a scalar, unescaped and unfolded. */
export function scalarText(event: ScalarEvent & NodeEvent, text: string): string {
  return event.node?.text ?? getScalarValue(text, event)
}

/** Returns the index after a node and its descendants. */
export function indexAfterNode(events: readonly NodeEvent[], start: number): number {
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
 * Returns the offset of a node: its quote, bracket, `|`, first key or first dash. `endBefore` is the end of the previous node, if
 * known.
 */
export function nodeStart(
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
  if (valueStart === -1) return emptyNodeStart(text, events, index, endBefore)
  if (style === SCALAR_STYLE.PLAIN) return valueStart
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) return valueStart - 1
  const lineStart = text.lastIndexOf('\n', valueStart - 2) + 1
  const header = /[|>][-+\d]*[ \t]*(?:[ \t]#.*)?\r?\n?$/.exec(text.slice(lineStart, valueStart))
  return lineStart + (header?.index ?? 0)
}

/** An omitted value is placed after its colon or dash. */
function emptyNodeStart(
  text: string,
  events: readonly NodeEvent[],
  index: number,
  endBefore?: number,
): number | undefined {
  let next = index
  while (endBefore === undefined && hasNoText(events[next - 1]) && index - next < maxEmptyNodes) next -= 1
  let end = endBefore ?? nodeEnd(events[next - 1], nodeStart(text, events, next - 1, 0))
  for (; next <= index; next += 1) {
    if (events[next]?.type === EVENT_ID.POP) continue
    const gap = events[next - 1]?.type === EVENT_ID.POP ? gapAfterList : gapAfterScalar
    const match = gap.exec(text.slice(end, end + maxGapLength))
    if (match === null) return undefined
    end += match[0].length
  }
  return end
}

/** Consecutive nodes without a position. */
const maxEmptyNodes = 1000

function hasNoText(event: NodeEvent | undefined): boolean {
  return event?.type === EVENT_ID.POP || (event?.type === EVENT_ID.SCALAR && event.valueEnd === -1)
}

function nodeEnd(event: NodeEvent | undefined, start = 0): number {
  return event?.type === EVENT_ID.SCALAR && event.valueEnd !== -1 ? event.valueEnd : start
}

const gapAfterScalar = /^["']?(?:\s|#.*\r?\n)*[:-][ \t]*/
const gapAfterList = /^["']?(?:[\s\]},]|#.*\r?\n)*[:-][ \t]*/

/** Longest white space and comments to search for the colon of an empty value. */
const maxGapLength = 1000

/** Start of an unquoted scalar that may be a number, true, false or null. */
export const typedStart = /^[-+.~\dnNtTfF]/

/** Missing offset or name. */
const none = -1

/** Index of the first node's event. */
const root = 1

/** Indexes the nodes of a document in typed arrays by event; an object per node takes several times the memory of the text. */
function indexNodes(text: string, events: readonly NodeEvent[]) {
  const offsets = new Int32Array(events.length).fill(none)
  /** Index after a node and its descendants. */
  const after = new Int32Array(events.length)
  /** Number of a key's name in `names`. */
  const fields = new Int32Array(events.length).fill(none)
  const names = new Map<string, number>()
  const items = new Map<number, number[]>()
  const written = new Map<number, string>()
  let next = root
  let end = 0
  const recordOffset = (index: number) => {
    const start = nodeStart(text, events, index, end)
    end = nodeEnd(events[index], start ?? end)
    offsets[index] = start ?? none
  }
  const readKey = () => {
    const index = next
    const event = events[index]
    recordOffset(index)
    next = indexAfterNode(events, index)
    after[index] = next
    if (event?.type !== EVENT_ID.SCALAR) return
    const name = scalarText(event, text)
    const number = names.get(name) ?? names.size
    names.set(name, number)
    fields[index] = number
  }
  const read = () => {
    const index = next
    const event = events[index]
    next += 1
    recordOffset(index)
    if (event?.type === EVENT_ID.SCALAR) {
      const isTyped =
        event.style === SCALAR_STYLE.PLAIN && typedStart.test(text.charAt(offsets[index] ?? none))
      if (isTyped) written.set(index, scalarText(event, text))
    } else if (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE) {
      const list: number[] = []
      while (next < events.length && events[next]?.type !== EVENT_ID.POP) {
        if (event.type === EVENT_ID.MAPPING) readKey()
        else list.push(next)
        read()
      }
      if (event.type === EVENT_ID.SEQUENCE) items.set(index, list)
      next += 1
    }
    after[index] = next
  }
  read()
  return { offsets, after, fields, names, items, written }
}

export type PositionIndex = ReturnType<typeof createPositionIndex>

/** Indexes the positions of the first document's fields. Does not keep the events, which take several times the memory of the text. */
export function createPositionIndex(text: string, events: readonly NodeEvent[]) {
  const { offsets, after, fields, names, items, written } = indexNodes(text, events)
  const indexAfter = (index: number) => after[index] ?? after.length
  const offsetAt = (index: number | undefined) => {
    const offset = index === undefined ? none : (offsets[index] ?? none)
    return offset === none ? undefined : offset
  }
  /** Returns the first of duplicate fields. */
  const findChild = (node: number, part: string | number) => {
    if (typeof part === 'number') {
      const value = items.get(node)?.[part]
      return value === undefined ? undefined : { key: undefined, value }
    }
    const name = items.has(node) ? undefined : names.get(part)
    if (name === undefined) return undefined
    for (let key = node + 1; key < indexAfter(node) - 1; key = indexAfter(indexAfter(key)))
      if (fields[key] === name) return { key, value: indexAfter(key) }
    return undefined
  }
  return {
    /**
     * Returns where the key or value of a field begins. A missing field has the position of its nearest existing ancestor, and
     * a field inside an alias that of the alias.
     */
    offsetOf(path: FieldPath, at: 'key' | 'value'): number | undefined {
      let node = root
      let offset = offsetAt(node)
      for (const [depth, part] of path.entries()) {
        const child = findChild(node, part)
        if (child === undefined) return offset
        node = child.value
        const [keyOffset, valueOffset] = [offsetAt(child.key), offsetAt(node)]
        const wantsValue = depth === path.length - 1 && at === 'value'
        offset = (wantsValue ? valueOffset : keyOffset) ?? valueOffset ?? keyOffset ?? offset
      }
      return offset
    },
    /** Returns the text of an unquoted scalar that may be a number, true, false or null. */
    rawTextAt(path: FieldPath): string | undefined {
      let node: number | undefined = root
      for (const part of path) node = node === undefined ? undefined : findChild(node, part)?.value
      return node === undefined ? undefined : written.get(node)
    },
  }
}
