/** Something that waits for a time; of two for the same time the one that was made first goes first. */
export interface Due {
  readonly at: number
  readonly order: number
}

/** What waits, by its time. */
export interface DueList<Item extends Due> {
  readonly first: Item | undefined
  add(item: Item): void
  delete(item: Item): void
  clear(): void
}

export function createDueList<Item extends Due>(): DueList<Item> {
  let items: Item[] = []
  /** How many go before it. */
  const placeOf = ({ at, order }: Due) => {
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const one = items[middle]
      if (one !== undefined && (one.at < at || (one.at === at && one.order < order))) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    get first() {
      return items[0]
    },
    add(item) {
      items.splice(placeOf(item), 0, item)
    },
    delete(item) {
      const place = placeOf(item)
      if (items[place] === item) items.splice(place, 1)
    },
    clear() {
      items = []
    },
  }
}
