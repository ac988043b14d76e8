import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { formatFieldPath } from '../interface/check.ts'
import type { FieldPath } from '../interface/finding.ts'
import type { ParseError } from './diagnostic.ts'

/** How many nodes the aliases of a file may stand for together. Anchors inside anchors multiply ("billion laughs"). */
const maxAliasedNodes = 100_000

/** A value, and how many nodes it stands for with all its aliases followed. */
interface Made {
  readonly value: unknown
  readonly size: number
}

interface Walk {
  readonly flaws: ParseError[]
  /** The last anchor of each name; undefined while it is being read. */
  readonly anchors: Map<string, Made | undefined>
  aliased: number
  tooMany: boolean
}

/**
 * The value of a parsed document as JSON can carry it, in one pass over the nodes, with a flaw for whatever JSON cannot
 * or people do not mean: duplicate keys, keys that are no text, tags, aliases that explode. Aliases share the value.
 */
export function nodesToValue(root: Node | null): { value: unknown; flaws: readonly ParseError[] } {
  const walk: Walk = { flaws: [], anchors: new Map(), aliased: 0, tooMany: false }
  const { value } = visit(root, [], walk)
  return { value: walk.tooMany ? undefined : value, flaws: walk.flaws }
}

function visit(node: unknown, path: FieldPath, walk: Walk): Made {
  if (isAlias(node)) return followAlias(node, path, walk)
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return { value: null, size: 1 }
  checkTag(node, path, walk)
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, undefined)
  const made = isMap(node)
    ? fromMap(node, path, walk)
    : isSeq(node)
      ? fromList(node, path, walk)
      : fromScalar(node, path, walk)
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, made)
  return made
}

function fromMap(node: YAMLMap, path: FieldPath, walk: Walk): Made {
  const fields = new Map<string, { value: unknown; at: Pair }>()
  let size = 1
  for (const pair of node.items) {
    const key = readKey(pair, path, walk)
    if (key === undefined) continue
    const made = visit(pair.value, [...path, key], walk)
    size += made.size
    if (fields.has(key)) walk.flaws.push(duplicateKey(key, pair, path))
    else fields.set(key, { value: made.value, at: pair })
  }
  return { value: Object.fromEntries([...fields].map(([key, { value }]) => [key, value])), size }
}

function fromList(node: YAMLSeq, path: FieldPath, walk: Walk): Made {
  let size = 1
  const value = node.items.map((item, index) => {
    const made = visit(item, [...path, index], walk)
    size += made.size
    return made.value
  })
  return { value, size }
}

function fromScalar(node: Scalar, path: FieldPath, walk: Walk): Made {
  const { value } = node
  if (typeof value === 'number' && !Number.isFinite(value)) {
    walk.flaws.push({
      ...at(node, path),
      code: 'not-json',
      message: `${formatFieldPath(path)} is ${node.source ?? value}, which JSON cannot carry`,
    })
    return { value: null, size: 1 }
  }
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const message = `${formatFieldPath(path)} has too many digits to be kept exactly; it is read as ${value}`
    walk.flaws.push({
      ...at(node, path),
      code: 'imprecise-number',
      severity: 'warning',
      message,
      hint: 'put it in quotes to keep it as text',
    })
  }
  return { value, size: 1 }
}

function followAlias(node: Alias, path: FieldPath, walk: Walk): Made {
  const made = walk.anchors.get(node.source)
  if (made !== undefined) {
    walk.aliased += made.size
    if (walk.aliased > maxAliasedNodes && !walk.tooMany) {
      walk.tooMany = true
      walk.flaws.push({
        ...at(node, path),
        code: 'alias-explosion',
        message: `the aliases of this file stand for more than ${maxAliasedNodes} values`,
        hint: 'write the values out instead of anchors inside anchors',
      })
    }
    return made
  }
  const recursive = walk.anchors.has(node.source)
  walk.flaws.push({
    ...at(node, path),
    code: recursive ? 'recursive-alias' : 'unknown-anchor',
    message: recursive
      ? `*${node.source} stands inside its own anchor`
      : `*${node.source} has no anchor &${node.source} before it`,
  })
  return { value: null, size: 1 }
}

function readKey(pair: Pair, path: FieldPath, walk: Walk): string | undefined {
  const key = keyText(pair.key)
  if (key === undefined) {
    walk.flaws.push({
      ...at(pair.key ?? pair.value, path),
      at: 'key',
      code: 'key-not-text',
      message: 'a key must be text, not a list, a mapping or an alias',
      hint: 'text that begins with [, { or * needs quotes',
    })
    return undefined
  }
  const place = { ...at(pair.key, [...path, key]), at: 'key' } as const
  if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN') {
    walk.flaws.push({
      ...place,
      code: 'merge-key',
      message: 'YAML 1.2 has no merge key <<',
      hint: 'write the fields out, or use an alias as the whole value',
    })
    return undefined
  }
  if (key === '__proto__') {
    walk.flaws.push({ ...place, code: 'unknown-key', message: '__proto__ cannot be the name of a field' })
    return undefined
  }
  if (isScalar(pair.key) && typeof pair.key.value !== 'string') {
    walk.flaws.push({
      ...place,
      code: 'key-not-text',
      message: `the key ${key} is not text`,
      hint: `write it in quotes: "${key}"`,
    })
  }
  return key
}

function duplicateKey(key: string, pair: Pair, path: FieldPath): ParseError {
  return {
    ...at(pair.key, [...path, key]),
    at: 'key',
    code: 'duplicate-key',
    message: `${formatFieldPath([...path, key])} is given twice`,
  }
}

const jsonTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(name => `tag:yaml.org,2002:${name}`),
)

function checkTag(node: Node, path: FieldPath, walk: Walk): void {
  const { tag } = node
  if (tag === undefined || tag === '!' || jsonTags.has(tag)) return
  const name = tag.replace('tag:yaml.org,2002:', '!!')
  walk.flaws.push({
    ...at(node, path),
    code: 'tag',
    message: `the tag ${name} has no meaning here`,
    hint: 'remove it; write text, numbers, true, false, lists and mappings',
  })
}

function at(node: unknown, path: FieldPath): Pick<ParseError, 'offset' | 'path'> {
  const range = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range : undefined
  return { path, offset: range?.[0] }
}

/**
 * Where the key or value of a field begins. A missing field is looked for at its nearest ancestor: the key of the
 * mapping it belongs to, or the list item. What stands behind an alias is at the alias.
 */
export function offsetOfField(root: Node | null, path: FieldPath, at: 'key' | 'value'): number | undefined {
  let node: unknown = root
  let offset = startOf(root)
  for (const [depth, part] of path.entries()) {
    const found = child(node, part)
    if (found === undefined) return offset
    node = found.value
    const wantsValue = depth === path.length - 1 && at === 'value'
    offset = (wantsValue ? startOf(found.value) : startOf(found.key)) ?? startOf(found.value) ?? offset
  }
  return offset
}

/** The characters of a scalar as the file writes it without quotes; undefined for anything else. */
export function writtenAt(root: Node | null, path: FieldPath): string | undefined {
  const node = path.reduce<unknown>((parent, part) => child(parent, part)?.value, root)
  if (!isScalar(node) || (node.type !== undefined && node.type !== 'PLAIN')) return undefined
  return node.source
}

/** The text of a mapping's key: `1: x` is the key "1". Only scalars can be keys. */
function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

function child(node: unknown, part: string | number): { key?: unknown; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = pairsOf(node).get(String(part))
    return pair === undefined ? undefined : { key: pair.key, value: pair.value }
  }
  if (isSeq(node) && typeof part === 'number' && part < node.items.length) return { value: node.items[part] }
  return undefined
}

/** Of each mapping that was asked about: a file with thousands of findings asks as often. */
const knownPairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()

function pairsOf(node: YAMLMap): ReadonlyMap<string, Pair> {
  const known = knownPairs.get(node)
  if (known !== undefined) return known
  const pairs = new Map<string, Pair>()
  for (const item of node.items) {
    const key = isPair(item) ? keyText(item.key) : undefined
    if (key !== undefined && !pairs.has(key)) pairs.set(key, item)
  }
  knownPairs.set(node, pairs)
  return pairs
}

function startOf(node: unknown): number | undefined {
  return isNode(node) && (isAlias(node) || node.range != null) ? node.range?.[0] : undefined
}
