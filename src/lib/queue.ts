/** Items from one producer for one consumer; the producer never waits. */
export function createQueue<Item>() {
  // Two arrays, swapped when the consumer has emptied its own: shift() on a long array costs its length.
  let arriving: { item: Item; weight: number }[] = []
  let leaving: { item: Item; weight: number }[] = []
  let taken = 0
  let waiting = 0
  let ended = false
  let wake = () => {}

  return {
    /** Adds an item; its weight counts until it is taken. */
    push(item: Item, weight: number) {
      arriving.push({ item, weight })
      waiting += weight
      wake()
    },
    /** Ends the iteration once everything is taken. */
    end() {
      ended = true
      wake()
    },
    /** The weights of all that waits. */
    get waiting() {
      return waiting
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Item, undefined> {
      for (;;) {
        const next = leaving[taken]
        if (next !== undefined) {
          taken++
          waiting -= next.weight
          yield next.item
        } else if (arriving.length > 0) {
          leaving = arriving
          arriving = []
          taken = 0
        } else if (ended) {
          return
        } else {
          const { promise, resolve } = createDeferred()
          wake = resolve
          await promise
        }
      }
    },
  }
}

/** A promise and what settles it: `Promise.withResolvers` for Node 20. */
export function createDeferred<Value = void>() {
  let resolve: (value: Value) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<Value>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}

/**
 * Jobs of one key one after the other, keys side by side. At most `atOnce` jobs run at a time; keys take turns. A job must not
 * reject.
 */
export function createKeyedQueue<Item>(atOnce: number, run: (item: Item) => Promise<void>) {
  const queues = new Map<string | number | null, KeyQueue<Item>>()
  const ready: KeyQueue<Item>[] = []
  let running = 0
  let left = 0
  let waiting: { readonly than: number; readonly resolve: () => void }[] = []

  const start = () => {
    while (running < atOnce) {
      const queue = ready.shift()
      if (queue === undefined) return
      void work(queue)
    }
  }
  const work = async (queue: KeyQueue<Item>) => {
    const item = take(queue)
    if (item === undefined) return
    running++
    await run(item)
    running--
    left--
    if (queue.taken < queue.items.length) ready.push(queue)
    else queues.delete(queue.key)
    const done = waiting.filter(({ than }) => left < than)
    waiting = waiting.filter(({ than }) => left >= than)
    for (const { resolve } of done) resolve()
    start()
  }
  return {
    /** Takes an item; its job runs when those before it of the same key have ended. */
    push(key: string | number | null, item: Item) {
      left++
      const queue = queues.get(key)
      if (queue !== undefined) return void queue.items.push(item)
      const begun = { key, items: [item], taken: 0 }
      queues.set(key, begun)
      ready.push(begun)
      start()
    },
    /** Items that are not done. */
    get left() {
      return left
    },
    /** Resolves when fewer items than this are left. */
    async fewer(than: number) {
      if (left >= than) await new Promise<void>(resolve => waiting.push({ than, resolve }))
    },
  }
}

interface KeyQueue<Item> {
  readonly key: string | number | null
  items: (Item | undefined)[]
  /** How many of the items have left, and left nothing: shift() on a long array costs its length. */
  taken: number
}

function take<Item>(queue: KeyQueue<Item>): Item | undefined {
  const item = queue.items[queue.taken]
  queue.items[queue.taken++] = undefined
  if (queue.taken > 1000 && queue.taken * 2 > queue.items.length) {
    queue.items = queue.items.slice(queue.taken)
    queue.taken = 0
  }
  return item
}
