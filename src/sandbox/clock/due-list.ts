/** Something that waits for a time; of two for the same time the one that was made first goes first. */
export interface Due {
  readonly at: number
  readonly order: number
}

/** Creates a list of items sorted by due time. */
export function createDueList<Item extends Due>() {
  let items: Item[] = []
  /** Returns the number of items before it. */
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
    get first(): Item | undefined {
      return items[0]
    },
    /** The first that is due at this time and passes. */
    find(at: number, passes: (item: Item) => boolean): Item | undefined {
      for (const item of items) {
        if (item.at > at) return undefined
        if (passes(item)) return item
      }
      return undefined
    },
    add(item: Item) {
      items.splice(placeOf(item), 0, item)
    },
    delete(item: Item) {
      const index = placeOf(item)
      if (items[index] === item) items.splice(index, 1)
    },
    clear() {
      items = []
    },
  }
}
