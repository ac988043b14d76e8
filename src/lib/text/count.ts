/** `1 event`, `2 events`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** `2 to create, 1 blocked`: each number that is not 0, with its words. */
export function countsText(counts: readonly (readonly [number: number, words: string])[]): string {
  return counts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`])).join(', ')
}

/** The first names, and how many more there are: `a, b and 3 more`. */
export function listed(names: readonly string[], most = 8, before = ' and'): string {
  const more = names.length > most ? `${before} ${names.length - most} more` : ''
  return `${names.slice(0, most).join(', ')}${more}`
}

/** Counts by key: how often a key came, this time included. */
export function createCounter(): (key: string) => number {
  const times = new Map<string, number>()
  return key => {
    const time = (times.get(key) ?? 0) + 1
    times.set(key, time)
    return time
  }
}
