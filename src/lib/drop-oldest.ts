/** Deletes the oldest entries of a map or set until it has at most `max`. */
export function dropOldest<Key>(
  entries: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): unknown },
  max: number,
): void {
  if (entries.size <= max) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    if (entries.size <= max) return
  }
}
