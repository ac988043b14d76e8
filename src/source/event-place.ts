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

/** How text without quotes begins that may be a number, true, false or null. */
export const typedStart = /^[-+.~\dnNtTfF]/

/** Stands for no offset, and for no name. */
const none = -1

/** The index of the first node. */
const root = 1

/** The nodes of a document, as numbers by the index of an event: an object for each takes several times the memory of the text. */
function readNodes(text: string, events: readonly NodeEvent[]) {
  const offsets = new Int32Array(events.length).fill(none)
  /** The index after a node with all that it holds. */
  const after = new Int32Array(events.length)
  /** Of a key: the number of its name. */
  const fields = new Int32Array(events.length).fill(none)
  const names = new Map<string, number>()
  const items = new Map<number, number[]>()
  const written = new Map<number, string>()
  let next = root
  let end = 0
  const place = (index: number) => {
    const start = startOf(text, events, index, end)
    end = endOf(events[index], start ?? end)
    offsets[index] = start ?? none
  }
  const readKey = () => {
    const index = next
    const event = events[index]
    place(index)
    next = afterNode(events, index)
    after[index] = next
    if (event?.type !== EVENT_ID.SCALAR) return
    const name = writtenText(event, text)
    const number = names.get(name) ?? names.size
    names.set(name, number)
    fields[index] = number
  }
  const read = () => {
    const index = next
    const event = events[index]
    next += 1
    place(index)
    if (event?.type === EVENT_ID.SCALAR) {
      const isTyped =
        event.style === SCALAR_STYLE.PLAIN && typedStart.test(text.charAt(offsets[index] ?? none))
      if (isTyped) written.set(index, writtenText(event, text))
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

/** Where the fields of the first document stand. Keeps none of the events: they take several times the memory of their text. */
export function placesOf(text: string, events: readonly NodeEvent[]) {
  const { offsets, after, fields, names, items, written } = readNodes(text, events)
  const afterOf = (index: number) => after[index] ?? after.length
  const offsetAt = (index: number | undefined) => {
    const offset = index === undefined ? none : (offsets[index] ?? none)
    return offset === none ? undefined : offset
  }
  /** The first of fields of the same name. */
  const innerOf = (node: number, part: string | number) => {
    if (typeof part === 'number') {
      const value = items.get(node)?.[part]
      return value === undefined ? undefined : { key: undefined, value }
    }
    const name = items.has(node) ? undefined : names.get(part)
    if (name === undefined) return undefined
    for (let key = node + 1; key < afterOf(node) - 1; key = afterOf(afterOf(key)))
      if (fields[key] === name) return { key, value: afterOf(key) }
    return undefined
  }
  return {
    /**
     * Where the key or value of a field begins. A missing field is looked for at its nearest ancestor: the key of the
     * mapping it belongs to, or the list item. What stands behind an alias is at the alias.
     */
    offsetOf(path: FieldPath, at: 'key' | 'value'): number | undefined {
      let node = root
      let offset = offsetAt(node)
      for (const [depth, part] of path.entries()) {
        const found = innerOf(node, part)
        if (found === undefined) return offset
        node = found.value
        const [keyOffset, valueOffset] = [offsetAt(found.key), offsetAt(node)]
        const wantsValue = depth === path.length - 1 && at === 'value'
        offset = (wantsValue ? valueOffset : keyOffset) ?? valueOffset ?? keyOffset ?? offset
      }
      return offset
    },
    /** The characters of a scalar that the file writes without quotes, where they may stand for something else than themselves. */
    writtenAt(path: FieldPath): string | undefined {
      let node: number | undefined = root
      for (const part of path) node = node === undefined ? undefined : innerOf(node, part)?.value
      return node === undefined ? undefined : written.get(node)
    },
  }
}
