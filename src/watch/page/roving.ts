/** Where an arrow key leads among so many items; undefined for another key. */
export function destination(key: string, place: number, count: number): number | undefined {
  if (count === 0) return undefined
  switch (key) {
    case 'ArrowDown':
      return Math.min(place + 1, count - 1)
    case 'ArrowUp':
      return Math.max(place - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    case 'PageDown':
      return Math.min(place + 10, count - 1)
    case 'PageUp':
      return Math.max(place - 10, 0)
    default:
      return undefined
  }
}
