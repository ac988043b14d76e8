import { bisector } from 'd3-array'

/** Something that waits for a time; of two for the same time the one that was made first goes first. */
export interface Due {
  readonly at: number
  readonly order: number
}

/** Returns the number of items before one. */
const { left: bisectDue } = bisector((one: Due, other: Due) => one.at - other.at || one.order - other.order)

/** Creates a list of items sorted by due time. */
export function createDueList<Item extends Due>() {
  let items: Item[] = []
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
      items.splice(bisectDue(items, item), 0, item)
    },
    delete(item: Item) {
      const index = bisectDue(items, item)
      if (items[index] === item) items.splice(index, 1)
    },
    clear() {
      items = []
    },
  }
}
