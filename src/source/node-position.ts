import { isAlias, isMap, isNode, isPair, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'
import type { FieldPath } from '../interface/finding.ts'

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
export function keyText(key: unknown): string | undefined {
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
