/** Deletes the oldest entry of a map or set that has more than `max`: memory stays bounded while entries are added one by one. */
export function dropOldest<Key>(
  entries: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): unknown },
  max: number,
): void {
  const [oldest] = entries.size > max ? entries.keys() : []
  if (oldest !== undefined) entries.delete(oldest)
}
