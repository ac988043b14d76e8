import { EVENT_ID, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { formatFieldPath } from '../interface/check.ts'
import type { ParseError } from './diagnostic.ts'
import { afterNode, type NodeEvent, startOf, typedStart, writtenText } from './event-place.ts'

/** How many nodes the aliases of a file may stand for together. Anchors inside anchors multiply ("billion laughs"). */
const maxAliasedNodes = 100_000

/** A value, and how many nodes it stands for with all its aliases followed. */
interface Anchored {
  readonly value: unknown
  readonly size: number
}

/** The way through the events of a document, in the order of its text. */
interface Walk {
  readonly text: string
  readonly events: readonly NodeEvent[]
  /** Index of the next event. */
  next: number
  readonly path: (string | number)[]
  readonly flaws: ParseError[]
  /** The last anchor of each name; undefined while it is being read. */
  readonly anchors: Map<string, Anchored | undefined>
  /** Nodes so far, with those behind aliases. */
  size: number
  aliased: number
}

/**
 * The value of the first document as JSON can carry it, in one pass over its events, with a flaw for all that JSON cannot
 * or people do not mean: duplicate keys, keys that are no text, tags, aliases that explode. Aliases share the value.
 */
export function eventsToValue(
  text: string,
  events: readonly NodeEvent[],
): { value: unknown; flaws: readonly ParseError[] } {
  const walk: Walk = { text, events, next: 1, path: [], flaws: [], anchors: new Map(), size: 0, aliased: 0 }
  const value = readNode(walk)
  return { value: walk.aliased > maxAliasedNodes ? undefined : value, flaws: walk.flaws }
}

function readNode(walk: Walk): unknown {
  const event = walk.events[walk.next]
  walk.next += 1
  if (event === undefined || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) return null
  const anchor = event.node?.anchor
  if (event.type === EVENT_ID.ALIAS) return followAlias(anchor ?? '', walk)
  if (event.node?.tag !== undefined) checkTag(event.node.tag, walk)
  const before = walk.size
  walk.size += 1
  if (anchor !== undefined) walk.anchors.set(anchor, undefined)
  const value =
    event.type === EVENT_ID.SCALAR
      ? readScalar(event, walk)
      : event.type === EVENT_ID.MAPPING
        ? readMapping(walk)
        : readList(walk)
  if (anchor !== undefined) walk.anchors.set(anchor, { value, size: walk.size - before })
  return value
}

function readMapping(walk: Walk): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  while (walk.events[walk.next]?.type !== EVENT_ID.POP) {
    const start = walk.next
    const key = readKey(walk)
    if (key === undefined) {
      walk.next = afterNode(walk.events, walk.next)
      continue
    }
    walk.path.push(key)
    const value = readNode(walk)
    if (!Object.hasOwn(fields, key)) fields[key] = value
    else {
      const message = `${formatFieldPath(walk.path)} is given twice`
      addFlaw(walk, start, { at: 'key', code: 'duplicate-key', message })
    }
    walk.path.pop()
  }
  walk.next += 1
  return fields
}

function readList(walk: Walk): unknown[] {
  const items: unknown[] = []
  while (walk.events[walk.next]?.type !== EVENT_ID.POP) {
    walk.path.push(items.length)
    items.push(readNode(walk))
    walk.path.pop()
  }
  walk.next += 1
  return items
}

function readScalar(event: ScalarEvent & NodeEvent, walk: Walk): unknown {
  const value = scalarOf(event, walk.text)
  if (typeof value !== 'number') return value
  const field = formatFieldPath(walk.path)
  if (!Number.isFinite(value)) {
    const message = `${field} is ${writtenText(event, walk.text)}, which JSON cannot carry`
    addFlaw(walk, walk.next - 1, { code: 'not-json', message })
    return null
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    addFlaw(walk, walk.next - 1, {
      code: 'imprecise-number',
      severity: 'warning',
      message: `${field} has too many digits to be kept exactly; it is read as ${value}`,
      hint: 'put it in quotes to keep it as text',
    })
  }
  return value
}

function followAlias(name: string, walk: Walk): unknown {
  const made = walk.anchors.get(name)
  if (made !== undefined) {
    const wereTooMany = walk.aliased > maxAliasedNodes
    walk.size += made.size
    walk.aliased += made.size
    if (walk.aliased > maxAliasedNodes && !wereTooMany) {
      addFlaw(walk, walk.next - 1, {
        code: 'alias-explosion',
        message: `the aliases of this file stand for more than ${maxAliasedNodes} values`,
        hint: 'write the values out instead of anchors inside anchors',
      })
    }
    return made.value
  }
  const isRecursive = walk.anchors.has(name)
  addFlaw(walk, walk.next - 1, {
    code: isRecursive ? 'recursive-alias' : 'unknown-anchor',
    message: isRecursive
      ? `*${name} stands inside its own anchor`
      : `*${name} has no anchor &${name} before it`,
  })
  return null
}

/** Goes past a key; undefined for one that names no field. */
function readKey(walk: Walk): string | undefined {
  const start = walk.next
  const event = walk.events[start]
  walk.next = afterNode(walk.events, start)
  if (event?.type !== EVENT_ID.SCALAR) {
    addFlaw(walk, start, {
      at: 'key',
      code: 'key-not-text',
      message: 'a key must be text, not a list, a mapping or an alias',
      hint: 'text that begins with [, { or * needs quotes',
    })
    return undefined
  }
  const key = writtenText(event, walk.text)
  const isMerge = key === '<<' && event.style === SCALAR_STYLE.PLAIN
  if (typeof scalarOf(event, walk.text) === 'string' && !isMerge && key !== '__proto__') return key
  walk.path.push(key)
  const [code, message, hint] = isMerge
    ? mergeKey
    : key === '__proto__'
      ? ['unknown-key', '__proto__ cannot be the name of a field']
      : ['key-not-text', `the key ${key} is not text`, `write it in quotes: "${key}"`]
  addFlaw(walk, start, { at: 'key', code, message, hint })
  walk.path.pop()
  return code === 'key-not-text' ? key : undefined
}

const mergeKey = [
  'merge-key',
  'YAML 1.2 has no merge key <<',
  'write the fields out, or use an alias as the whole value',
] as const

const integer = /^(?:[-+]?\d+|0[ox].*)$/

/** Tags that say how a scalar is read, and whether it can be. */
const scalarTags: Readonly<Record<string, (value: unknown, written: string) => boolean>> = {
  int: (value, written) => typeof value === 'number' && integer.test(written),
  float: (value, written) => typeof value === 'number' && !integer.test(written),
  bool: value => typeof value === 'boolean',
  null: value => value === null,
}

const standardTag = 'tag:yaml.org,2002:'

function scalarOf(event: ScalarEvent & NodeEvent, text: string): unknown {
  const written = writtenText(event, text)
  const tag = event.node?.tag
  if (tag === undefined) return event.style === SCALAR_STYLE.PLAIN ? resolvePlain(written) : written
  const value = resolvePlain(written)
  return scalarTags[tag.replace(standardTag, '')]?.(value, written) === true ? value : written
}

const knownTags = ['!', ...['str', 'map', 'seq', ...Object.keys(scalarTags)].map(name => standardTag + name)]

function checkTag(tag: string, walk: Walk): void {
  if (knownTags.includes(tag)) return
  addFlaw(walk, walk.next - 1, {
    code: 'tag',
    message: `the tag ${tag.replace(standardTag, '!!')} has no meaning here`,
    hint: 'remove it; write text, numbers, true, false, lists and mappings',
  })
}

/** What text without quotes stands for in the core schema of YAML 1.2. */
function resolvePlain(text: string): unknown {
  if (text !== '' && !typedStart.test(text)) return text
  if (/^(?:~|[Nn]ull|NULL)?$/.test(text)) return null
  if (/^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/.test(text)) return /^t/i.test(text)
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8)
  if (/^0x[\da-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16)
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text)
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return Number.NaN
  const infinite = /^([-+]?)\.(?:inf|Inf|INF)$/.exec(text)
  return infinite === null ? text : Number(`${infinite[1]}Infinity`)
}

function addFlaw(walk: Walk, index: number, flaw: ParseError): void {
  walk.flaws.push({ path: [...walk.path], ...flaw, offset: startOf(walk.text, walk.events, index) })
}
