/**
 * Immutable map in layers, the oldest first; each has more than twice the entries of the next. An addition copies the few entries of the
 * last layers, so that n additions cost n log n, and not n².
 */
export type Layers<Value> = readonly ReadonlyMap<string, Value>[]

/** Returns the newest value of a key. */
export function getNewest<Value>(layers: Layers<Value>, key: string): Value | undefined {
  for (let index = layers.length - 1; index >= 0; index -= 1) {
    const value = layers[index]?.get(key)
    if (value !== undefined) return value
  }
  return undefined
}

/** Returns the layers with further entries, which replace those with the same keys. */
export function addLayer<Value>(layers: Layers<Value>, added: ReadonlyMap<string, Value>): Layers<Value> {
  if (added.size === 0) return layers
  let top = added
  let left = layers.length
  for (; left > 0; left -= 1) {
    const below = layers[left - 1] ?? added
    if (below.size > 2 * top.size) break
    top = mergeLayers([below, top])
  }
  return [...layers.slice(0, left), top]
}

/** Returns all entries in order of first addition. */
export function mergeLayers<Value>(layers: Layers<Value>): ReadonlyMap<string, Value> {
  if (layers.length < 2) return layers[0] ?? new Map()
  const [oldest, ...newer] = layers
  const merged = new Map(oldest)
  for (const layer of newer) for (const [key, value] of layer) merged.set(key, value)
  return merged
}
