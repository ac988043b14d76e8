import { EVENT_ID, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { formatFieldPath } from '../../interface/check.ts'
import type { ParseError } from './diagnostic.ts'
import { indexAfterNode, type NodeEvent, nodeStart, scalarText } from './yaml-positions.ts'

/** Limits the nodes that all aliases of a file expand to; nested anchors multiply ("billion laughs"). */
const maxAliasedNodes = 100_000

/** `size` is the node count with aliases expanded. */
interface AnchoredValue {
  readonly value: unknown
  readonly size: number
}

interface Walk {
  readonly text: string
  readonly events: readonly NodeEvent[]
  next: number
  readonly path: (string | number)[]
  readonly errors: ParseError[]
  /** Latest anchor of each name; undefined while its node is being read. */
  readonly anchors: Map<string, AnchoredValue | undefined>
  /** Nodes so far, with aliases expanded. */
  size: number
  aliased: number
}

/**
 * Converts the events of the first document to a JSON value in one pass. Reports what JSON cannot represent or is likely a
 * mistake: duplicate keys, non-string keys, tags, exploding aliases. Aliases share the anchor's value.
 */
export function eventsToValue(
  text: string,
  events: readonly NodeEvent[],
): { value: unknown; errors: readonly ParseError[] } {
  const walk: Walk = { text, events, next: 1, path: [], errors: [], anchors: new Map(), size: 0, aliased: 0 }
  const value = readNode(walk)
  return { value: walk.aliased > maxAliasedNodes ? undefined : value, errors: walk.errors }
}

function readNode(walk: Walk): unknown {
  const event = walk.events[walk.next]
  walk.next += 1
  if (event === undefined || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) return null
  const anchor = event.node?.anchor
  if (event.type === EVENT_ID.ALIAS) return resolveAlias(anchor ?? '', walk)
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
      walk.next = indexAfterNode(walk.events, walk.next)
      continue
    }
    walk.path.push(key)
    const value = readNode(walk)
    if (!Object.hasOwn(fields, key)) fields[key] = value
    else {
      const message = `${formatFieldPath(walk.path)} is given twice`
      addError(walk, start, {
        at: 'key',
        code: 'duplicate-key',
        message,
        hint: 'remove or rename one of them',
      })
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
    const message = `${field} is ${scalarText(event, walk.text)}, which JSON cannot represent`
    addError(walk, walk.next - 1, { code: 'not-json', message, hint: 'write a finite number, or quote it' })
    return null
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    addError(walk, walk.next - 1, {
      code: 'imprecise-number',
      severity: 'warning',
      message: `${field} has too many digits to be stored exactly; it is read as ${value}`,
      hint: 'quote it to keep it as text',
    })
  }
  return value
}

function resolveAlias(name: string, walk: Walk): unknown {
  const anchored = walk.anchors.get(name)
  if (anchored !== undefined) {
    const wasOverLimit = walk.aliased > maxAliasedNodes
    walk.size += anchored.size
    walk.aliased += anchored.size
    if (walk.aliased > maxAliasedNodes && !wasOverLimit) {
      addError(walk, walk.next - 1, {
        code: 'alias-explosion',
        message: `the aliases of this file expand to more than ${maxAliasedNodes} values`,
        hint: 'replace nested anchors with their values',
      })
    }
    return anchored.value
  }
  const isRecursive = walk.anchors.has(name)
  addError(walk, walk.next - 1, {
    code: isRecursive ? 'recursive-alias' : 'unknown-anchor',
    message: isRecursive
      ? `*${name} refers to the anchor that contains it`
      : `there is no anchor &${name} before *${name}`,
  })
  return null
}

/** Consumes a key; returns undefined if it cannot be a field name. */
function readKey(walk: Walk): string | undefined {
  const start = walk.next
  const event = walk.events[start]
  walk.next = indexAfterNode(walk.events, start)
  if (event?.type !== EVENT_ID.SCALAR) {
    addError(walk, start, {
      at: 'key',
      code: 'key-not-text',
      message: 'a key must be text, not a list, mapping or alias',
      hint: 'quote text that begins with [, { or *',
    })
    return undefined
  }
  const key = scalarText(event, walk.text)
  const isMerge = key === '<<' && event.style === SCALAR_STYLE.PLAIN
  if (typeof scalarOf(event, walk.text) === 'string' && !isMerge && key !== '__proto__') return key
  walk.path.push(key)
  const [code, message, hint] = isMerge
    ? mergeKey
    : key === '__proto__'
      ? ['unknown-key', '__proto__ is not allowed as a field name']
      : ['key-not-text', `the key ${key} is not text`, `quote it: "${key}"`]
  addError(walk, start, { at: 'key', code, message, hint })
  walk.path.pop()
  return code === 'key-not-text' ? key : undefined
}

const mergeKey = [
  'merge-key',
  'merge keys (<<) are not part of YAML 1.2',
  'write the fields out, or use an alias as the whole value',
] as const

const integer = /^(?:[-+]?\d+|0[ox].*)$/

/** Checks that a scalar has the type of its tag. */
const scalarTags: Readonly<Record<string, (value: unknown, written: string) => boolean>> = {
  int: (value, written) => typeof value === 'number' && integer.test(written),
  float: (value, written) => typeof value === 'number' && !integer.test(written),
  bool: value => typeof value === 'boolean',
  null: value => value === null,
}

const standardTag = 'tag:yaml.org,2002:'

function scalarOf(event: ScalarEvent & NodeEvent, text: string): unknown {
  const scalar = scalarText(event, text)
  const tag = event.node?.tag
  if (tag === undefined) return event.style === SCALAR_STYLE.PLAIN ? resolvePlain(scalar) : scalar
  const value = resolvePlain(scalar)
  return scalarTags[tag.replace(standardTag, '')]?.(value, scalar) === true ? value : scalar
}

const knownTags = ['!', ...['str', 'map', 'seq', ...Object.keys(scalarTags)].map(name => standardTag + name)]

function checkTag(tag: string, walk: Walk): void {
  if (knownTags.includes(tag)) return
  addError(walk, walk.next - 1, {
    code: 'tag',
    message: `the tag ${tag.replace(standardTag, '!!')} is not supported`,
    hint: 'remove it, and use only text, numbers, true, false, lists and mappings',
  })
}

/** Characters of numbers, and the words: most text and hashes are neither. */
const typedForm = /^(?:[a-f\dx+o\-i.n]*|~|null|true|false)$/i

/** Resolves an unquoted scalar by the core schema of YAML 1.2. */
export function resolvePlain(text: string): unknown {
  if (!typedForm.test(text)) return text
  if (/^(?:~|[Nn]ull|NULL)?$/.test(text)) return null
  if (/^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/.test(text)) return /^t/i.test(text)
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8)
  if (/^0x[\da-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16)
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text)
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return Number.NaN
  const infinite = /^([-+]?)\.(?:inf|Inf|INF)$/.exec(text)
  return infinite === null ? text : Number(`${infinite[1]}Infinity`)
}

function addError(walk: Walk, index: number, error: ParseError): void {
  walk.errors.push({ path: [...walk.path], ...error, offset: nodeStart(walk.text, walk.events, index) })
}
