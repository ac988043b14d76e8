/** Jobs of one key one after the other, keys side by side. */
export interface Lanes<Item> {
  /** Takes an item; its job runs when those before it of the same key have ended. */
  push(key: string | number | null, item: Item): void
  /** Items that are not done. */
  readonly left: number
  /** Resolves when fewer than so many are left. */
  fewer(than: number): Promise<void>
}

/** At most `atOnce` jobs run at a time; keys take turns. A job must not reject. */
export function createLanes<Item>(atOnce: number, run: (item: Item) => Promise<void>): Lanes<Item> {
  const lanes = new Map<string | number | null, Lane<Item>>()
  const ready: Lane<Item>[] = []
  let running = 0
  let left = 0
  let waiting: { readonly than: number; readonly resolve: () => void }[] = []

  const start = () => {
    while (running < atOnce) {
      const lane = ready.shift()
      if (lane === undefined) return
      void work(lane)
    }
  }
  const work = async (lane: Lane<Item>) => {
    const item = take(lane)
    if (item === undefined) return
    running++
    await run(item)
    running--
    left--
    if (lane.taken < lane.items.length) ready.push(lane)
    else lanes.delete(lane.key)
    const done = waiting.filter(({ than }) => left < than)
    waiting = waiting.filter(({ than }) => left >= than)
    for (const { resolve } of done) resolve()
    start()
  }
  return {
    push(key, item) {
      left++
      const lane = lanes.get(key)
      if (lane !== undefined) return void lane.items.push(item)
      const begun = { key, items: [item], taken: 0 }
      lanes.set(key, begun)
      ready.push(begun)
      start()
    },
    get left() {
      return left
    },
    async fewer(than) {
      if (left >= than) await new Promise<void>(resolve => waiting.push({ than, resolve }))
    },
  }
}

interface Lane<Item> {
  readonly key: string | number | null
  items: (Item | undefined)[]
  /** How many of the items have left, and left nothing: shift() on a long array costs its length. */
  taken: number
}

function take<Item>(lane: Lane<Item>): Item | undefined {
  const item = lane.items[lane.taken]
  lane.items[lane.taken++] = undefined
  if (lane.taken > 1000 && lane.taken * 2 > lane.items.length) {
    lane.items = lane.items.slice(lane.taken)
    lane.taken = 0
  }
  return item
}
