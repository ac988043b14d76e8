import { EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml'
import { parseJson } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import {
  byteOrderMark,
  emptyFile,
  failedParse,
  loneCarriageReturns,
  maxDepth,
  type Parsed,
  tooDeep,
} from './diagnostic.ts'
import { parseLongList, readWithoutErrors } from './long-list.ts'
import { readPlainYaml } from './plain-yaml.ts'
import { createPositionIndex, type NodeEvent, nodeStart, type PositionIndex } from './yaml-positions.ts'
import { eventsToValue } from './yaml-value.ts'

/**
 * Parses one YAML 1.2 document (core schema). js-yaml, which is faster, reads plain files. The strict parser decides for files
 * that js-yaml rejects, that parsers read differently, or that have errors.
 */
export async function parseYaml(source: string): Promise<Parsed> {
  // The parser takes a mark for indentation. An empty line keeps the offsets.
  const text = source.startsWith(byteOrderMark) ? `\n${source.slice(1)}` : source
  if (!text.includes('\n') && /\r[^\r]/.test(text)) return failedParse(loneCarriageReturns)
  const list = parseLongList(text, readUnambiguous)
  if (list !== undefined) return list
  const plain = readPlainYaml(text, (flow, depth) => readWithoutErrors(flow, depth, readUnambiguous))
  if (plain !== undefined) return { value: plain, errors: [], ...lazyPositions(text) }
  const result = readEvents(text)
  if ('tooDeepAt' in result) return failedParse(tooDeep(result.tooDeepAt))
  if ('events' in result && result.events.length > 0 && !isAmbiguous(text, result.events)) {
    const parsed = toParsed(text, result.events)
    if (parsed.errors.length === 0) return parsed
  }
  return isEmpty(text) ? failedParse(emptyFile) : parseStrictly(text)
}

/** True if the text has only comments and blank lines. */
function isEmpty(text: string): boolean {
  return !ambiguousText.test(text) && text.split('\n').every(line => /^ *(?:#|\r?$)/.test(line))
}

/** Parses strict JSON (RFC 8259), with the YAML parser so that values and positions are found the same way. */
export async function parseJsonFile(json: string): Promise<Parsed> {
  // In JSON a lone CR can only be white space.
  const text = json.replace(/\r(?!\n)/g, '\n')
  const result = readEvents(text)
  if ('tooDeepAt' in result) return failedParse(tooDeep(result.tooDeepAt))
  const strict = json.startsWith(byteOrderMark) ? json.slice(1) : json
  if (parseJson(strict) === undefined) return failedParse((await import('./json-error.ts')).jsonError(json))
  const parsed = 'events' in result ? toParsed(text, result.events) : await parseStrictly(text)
  return {
    ...parsed,
    rawTextAt(path) {
      const scalar = parsed.rawTextAt?.(path)
      // Only numbers: quotes do not change the meaning of other JSON scalars.
      return scalar !== undefined && /^[-\d]/.test(scalar) ? scalar : undefined
    },
  }
}

async function parseStrictly(text: string): Promise<Parsed> {
  const { readStrictly } = await import('./strict-yaml.ts')
  const result = readStrictly(text)
  if ('errors' in result) return failedParse(...result.errors)
  return { ...eventsToValue(text, result.events), ...createPositionIndex(text, result.events) }
}

type EventsResult =
  | { readonly events: readonly Event[] }
  | { readonly tooDeepAt: number }
  | { readonly refused: true }

/** Returns undefined if js-yaml may read a different value than other parsers. */
function readUnambiguous(text: string, depth: number): readonly NodeEvent[] | undefined {
  const result = readEvents(text, depth)
  if (!('events' in result) || result.events.length === 0 || isAmbiguous(text, result.events))
    return undefined
  return result.events
}

function readEvents(text: string, depth = maxDepth): EventsResult {
  try {
    return { events: parseEvents(text, { maxDepth: depth }) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    if (!error.reason.startsWith('nesting exceeded')) return { refused: true }
    return { tooDeepAt: error.mark?.position ?? 0 }
  }
}

/**
 * Syntax that parsers read differently: lone CRs, byte order marks, tab indentation, `...`, indented `---`, indentation
 * indicators and escaped line ends.
 */
const ambiguousText = /\r(?!\n)|\uFEFF|(?:^|\n)(?: *\t|\.\.\.| +---)|[|>][-+]?\d|\\\r?\n/

/** True if the text is not a single plain document without directives, anchors, aliases and tags. */
function isAmbiguous(text: string, events: readonly Event[]): boolean {
  return (
    ambiguousText.test(text) ||
    events.some((event, index) => isAmbiguousEvent(event, index) || hasFieldAfterList(text, events, index))
  )
}

function isAmbiguousEvent(event: Event, index: number): boolean {
  if (event.type === EVENT_ID.POP) return false
  if (event.type === EVENT_ID.DOCUMENT) return index > 0 || event.directives.length > 0
  return event.type === EVENT_ID.ALIAS || event.anchorStart !== -1 || event.tagStart !== -1
}

/** True if a field follows a list item on the same line: js-yaml reads `- "a" b: c` as the end of the list and a field. */
function hasFieldAfterList(text: string, events: readonly Event[], index: number): boolean {
  const event = events[index]
  if (events[index - 1]?.type !== EVENT_ID.POP || event === undefined) return false
  if (event.type === EVENT_ID.POP || (event.type === EVENT_ID.SCALAR && event.valueStart === -1)) return false
  let offset = (nodeStart(text, events, index) ?? 0) - 1
  while (text[offset] === ' ' || text[offset] === '\t') offset -= 1
  return offset >= 0 && `"']}?`.includes(text.charAt(offset))
}

/**
 * Positions are indexed on first use, from events that are parsed again: a file without findings needs none, and events take
 * several times the memory of their text.
 */
function toParsed(text: string, events: readonly NodeEvent[]): Parsed {
  return { ...eventsToValue(text, events), ...lazyPositions(text) }
}

function lazyPositions(text: string): PositionIndex {
  const positions = lazy(() => createPositionIndex(text, parseEvents(text, { maxDepth })))
  return {
    offsetOf: (path, at) => positions().offsetOf(path, at),
    rawTextAt: path => positions().rawTextAt(path),
  }
}
