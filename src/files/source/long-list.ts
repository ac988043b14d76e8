import { parseEvents } from 'js-yaml'
import type { FieldPath } from '../../interface/finding.ts'
import { dropOldest } from '../../lib/drop-oldest.ts'
import { isObject } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { maxDepth, type Parsed } from './diagnostic.ts'
import { readPlainYaml } from './plain-yaml.ts'
import { createPositionIndex, type NodeEvent, type PositionIndex } from './yaml-positions.ts'
import { eventsToValue } from './yaml-value.ts'

/** A top-level block list, split into parts that parse as separate documents. */
interface SplitList {
  readonly field: string
  /** The text without the items. */
  readonly rest: string
  /** Offsets of the first item's line and of the text after the last item. */
  readonly start: number
  readonly end: number
  /** 0-based column of the dashes. */
  readonly column: number
  /** Line offset of each item. */
  readonly items: readonly number[]
  readonly itemsPerPart: number
}

/** Shorter texts are parsed as a whole; `itemsPerPart` trades memory against the cost per parse. */
const defaultSizes = { minLength: 1_000_000, itemsPerPart: 1000 }
/** Position indexes in the cache; other parts are parsed again. */
const maxCachedParts = 8

/** A dash followed by a plain key. */
const firstKey = /- +(?=[A-Za-z]\w*:[ \r\n])/y

/** Returns the events of a text that js-yaml reads unambiguously, else undefined. */
export type ReadUnambiguous = (text: string, depth: number) => readonly NodeEvent[] | undefined

/**
 * Parses a text with one long block list in parts, because the events of a whole text take ten times its memory. Returns undefined
 * for any other text, or one with an error; parse it as a whole then.
 */
export function parseLongList(
  text: string,
  readPlain: ReadUnambiguous,
  { minLength, itemsPerPart } = defaultSizes,
): Parsed | undefined {
  if (text.length < minLength) return undefined
  const split = splitList(text, itemsPerPart)
  if (split === undefined) return undefined
  const list: unknown[] = []
  for (let first = 0; first < split.items.length; first += itemsPerPart) {
    const part = partText(text, split, first)
    const items =
      readPlainYaml(part, (flow, depth) => readWithoutErrors(flow, depth - 1, readPlain)) ??
      readWithoutErrors(part, maxDepth - 1, readPlain)
    if (!Array.isArray(items) || items.length !== Math.min(itemsPerPart, split.items.length - first))
      return undefined
    for (const item of items) list.push(item)
  }
  const value = readWithoutErrors(split.rest, maxDepth, readPlain)
  if (!isObject(value) || value[split.field] !== null) return undefined
  value[split.field] = list
  return { value, errors: [], ...createPositionLookup(text, split) }
}

export function readWithoutErrors(text: string, depth: number, readPlain: ReadUnambiguous): unknown {
  const events = readPlain(text, depth)
  if (events === undefined) return undefined
  const { value, errors } = eventsToValue(text, events)
  return errors.length === 0 ? value : undefined
}

function partText(text: string, { items, itemsPerPart, end }: SplitList, first: number): string {
  return text.slice(items[first], items[first + itemsPerPart] ?? end)
}

/**
 * Locates the list by line indentation alone: an item is indented deeper than its dash. A text that breaks this rule is invalid, and
 * so is one of its parts.
 */
function splitList(text: string, itemsPerPart: number): SplitList | undefined {
  const match = /(?:^|\n)([A-Za-z]\w*):[ \t]*\r?\n( *)-[ \r\n]/.exec(text)
  if (match === null) return undefined
  const [before, field = '', { length: column } = ''] = match
  const start = match.index + before.length - column - 2
  const items: number[] = []
  let line = start
  for (; line < text.length; line = endOfLine(text, line)) {
    let first = line
    while (text[first] === ' ') first += 1
    const character = text[first]
    const isItem = first - line === column && character === '-' && /^[ \r\n]?$/.test(text[first + 1] ?? '')
    if (isItem) items.push(line)
    else if (character !== '\n' && character !== '\r' && character !== '#' && first - line <= column) break
  }
  return {
    field,
    rest: text.slice(0, start) + text.slice(line),
    start,
    end: line,
    column,
    items,
    itemsPerPart,
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}

function createPositionLookup(text: string, cut: SplitList): PositionIndex {
  const { field, start, end, column, items, itemsPerPart, rest } = cut
  const outside = lazy(() => createPositionIndex(rest, parseEvents(rest, { maxDepth })))
  const cache = new Map<number, PositionIndex>()
  const positionsAt = (first: number) => {
    const part =
      cache.get(first) ??
      createPositionIndex(partText(text, cut, first), parseEvents(partText(text, cut, first), { maxDepth }))
    cache.delete(first)
    cache.set(first, part)
    dropOldest(cache, maxCachedParts)
    return part
  }
  /** The offset of an item that is a mapping in block style; most are, and need no parse of their part. */
  const itemStart = ([name, index, ...path]: FieldPath) => {
    const line = name === field && typeof index === 'number' && path.length === 0 ? items[index] : undefined
    if (line === undefined) return undefined
    firstKey.lastIndex = line + column
    return firstKey.test(text) ? firstKey.lastIndex : undefined
  }
  /** Returns the part that contains a path, and the path within it. */
  const findPart = ([name, index, ...path]: FieldPath) => {
    if (name !== field || typeof index !== 'number' || index >= items.length) return undefined
    const first = index - (index % itemsPerPart)
    return {
      base: items[first] ?? start,
      positions: () => positionsAt(first),
      path: [index - first, ...path],
    }
  }
  return {
    offsetOf(path, at) {
      const offset = itemStart(path)
      if (offset !== undefined) return offset
      const part = findPart(path)
      if (part !== undefined) {
        const within = part.positions().offsetOf(part.path, at)
        return within === undefined ? undefined : within + part.base
      }
      if (path[0] === field && path.length === 1 && at === 'value') return start + column
      const outer = outside().offsetOf(path, at)
      return outer === undefined || outer < start ? outer : outer + end - start
    },
    rawTextAt(path) {
      const part = findPart(path)
      return part === undefined ? outside().rawTextAt(path) : part.positions().rawTextAt(part.path)
    },
  }
}
