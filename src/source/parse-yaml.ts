import { EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml'
import { parseJson } from '../lib/json.ts'
import { lazy } from '../lib/lazy.ts'
import {
  byteOrderMark,
  emptyFile,
  loneReturns,
  maxDepth,
  type Parsed,
  tooDeep,
  unusable,
} from './diagnostic.ts'
import { type NodeEvent, placesOf, startOf } from './event-place.ts'
import { eventsToValue } from './event-value.ts'
import { parseLongList } from './long-list.ts'

/**
 * One YAML 1.2 document (core schema). js-yaml reads plain files. The strict parser reads a file that js-yaml refuses, that
 * other parsers may understand otherwise, or that has flaws: its word counts.
 */
export async function parseYaml(text: string): Promise<Parsed> {
  if (!text.includes('\n') && /\r[^\r]/.test(text)) return unusable(loneReturns)
  const list = parseLongList(text, readPlain)
  if (list !== undefined) return list
  const read = readEvents(text)
  if ('tooDeepAt' in read) return unusable(tooDeep(read.tooDeepAt))
  if ('events' in read && read.events.length > 0 && !isDoubtful(text, read.events)) {
    const parsed = toParsed(text, read.events)
    if (parsed.flaws.length === 0) return parsed
  }
  return isEmpty(text) ? unusable(emptyFile) : parseStrictly(text)
}

/** True if it has only comments and blank lines. */
function isEmpty(text: string): boolean {
  return !doubtfulText.test(text) && text.split('\n').every(line => /^ *(?:#|\r?$)/.test(line))
}

/** Strict JSON (RFC 8259). It is YAML as well, so that values and places are one thing for both. */
export async function parseJsonFile(json: string): Promise<Parsed> {
  // In JSON it stands between values alone, and ends a line of an old kind there.
  const text = json.replace(/\r(?!\n)/g, '\n')
  const read = readEvents(text)
  if ('tooDeepAt' in read) return unusable(tooDeep(read.tooDeepAt))
  const strict = json.startsWith(byteOrderMark) ? json.slice(1) : json
  if (parseJson(strict) === undefined) return unusable((await import('./json-error.ts')).jsonError(json))
  const parsed = 'events' in read ? toParsed(text, read.events) : await parseStrictly(text)
  return {
    ...parsed,
    writtenAt(path) {
      const written = parsed.writtenAt?.(path)
      // JSON has no words that quotes would make another value of.
      return written !== undefined && /^[-\d]/.test(written) ? written : undefined
    },
  }
}

async function parseStrictly(text: string): Promise<Parsed> {
  const { readStrictly } = await import('./strict-yaml.ts')
  const read = readStrictly(text)
  if ('flaws' in read) return unusable(...read.flaws)
  return { ...eventsToValue(text, read.events), ...placesOf(text, read.events) }
}

type Read =
  | { readonly events: readonly Event[] }
  | { readonly tooDeepAt: number }
  | { readonly refused: true }

/** Undefined if js-yaml may read a different value than other parsers. */
export function readPlain(text: string, depth: number): readonly NodeEvent[] | undefined {
  const read = readEvents(text, depth)
  if (!('events' in read) || read.events.length === 0 || isDoubtful(text, read.events)) return undefined
  return read.events
}

function readEvents(text: string, depth = maxDepth): Read {
  try {
    return { events: parseEvents(text, { maxDepth: depth }) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    if (!error.reason.startsWith('nesting exceeded')) return { refused: true }
    return { tooDeepAt: error.mark?.position ?? 0 }
  }
}

/**
 * Where parsers differ: old line ends, byte order marks, tabs that indent, marks of the end, indented marks of the beginning, given
 * indentation, and escaped line ends.
 */
const doubtfulText = /\r(?!\n)|\uFEFF|(?:^|\n)(?: *\t|\.\.\.| +---)|[|>][-+]?\d|\\\r?\n/

/** Whether it is more than one plain document: with directives, anchors, aliases or tags. */
function isDoubtful(text: string, events: readonly Event[]): boolean {
  return (
    doubtfulText.test(text) ||
    events.some((event, index) => isDoubtfulEvent(event, index) || goesOnBehindList(text, events, index))
  )
}

function isDoubtfulEvent(event: Event, index: number): boolean {
  if (event.type === EVENT_ID.POP) return false
  if (event.type === EVENT_ID.DOCUMENT) return index > 0 || event.directives.length > 0
  return event.type === EVENT_ID.ALIAS || event.anchorStart !== -1 || event.tagStart !== -1
}

/** A field behind the last item of a list, in the same line: js-yaml takes `- "a" b: c` for the end of the list and a field. */
function goesOnBehindList(text: string, events: readonly Event[], index: number): boolean {
  const event = events[index]
  if (events[index - 1]?.type !== EVENT_ID.POP || event === undefined) return false
  if (event.type === EVENT_ID.POP || (event.type === EVENT_ID.SCALAR && event.valueStart === -1)) return false
  let place = (startOf(text, events, index) ?? 0) - 1
  while (text[place] === ' ' || text[place] === '\t') place -= 1
  return place >= 0 && `"']}?`.includes(text.charAt(place))
}

/**
 * The places are looked for at the first question, in events that are read again: a file without findings needs none, and
 * events take several times the memory of their text.
 */
function toParsed(text: string, events: readonly NodeEvent[]): Parsed {
  const places = lazy(() => placesOf(text, parseEvents(text, { maxDepth })))
  return {
    ...eventsToValue(text, events),
    offsetOf: (path, at) => places().offsetOf(path, at),
    writtenAt: path => places().writtenAt(path),
  }
}
