import Queue from 'yocto-queue'

interface ItemOptions {
  /** True if the item is not to be read any more. The items wait for a promise. */
  isStale?(): boolean | Promise<boolean>
  /** Called when the consumer gets the item. */
  onTaken?(): void
  /** Called when the consumer asks for the next item. */
  onRead?(): void
}

/** Items from one producer for one consumer; the producer never waits. */
export function createQueue<Item>() {
  const items = new Queue<{ readonly item: Item; readonly weight: number; readonly options?: ItemOptions }>()
  let waiting = 0
  let ended: { readonly error?: unknown } | undefined
  let wake = () => {}

  return {
    /** Adds an item; its weight counts until it is taken. */
    push(item: Item, weight: number, options?: ItemOptions) {
      items.enqueue(options === undefined ? { item, weight } : { item, weight, options })
      waiting += weight
      wake()
    },
    /** Ends the iteration once everything is taken. */
    end() {
      ended ??= {}
      wake()
    },
    /** Makes the iteration throw the error once everything is taken. */
    fail(error: unknown) {
      ended ??= { error }
      wake()
    },
    /** The weights of all that waits. */
    get waiting() {
      return waiting
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Item, undefined> {
      for (;;) {
        for (const { item, weight, options } of items.drain()) {
          waiting -= weight
          const isStale = options?.isStale?.() ?? false
          if (isStale !== false && (await isStale)) continue
          options?.onTaken?.()
          yield item
          options?.onRead?.()
        }
        if (ended !== undefined && 'error' in ended) throw ended.error
        if (ended !== undefined) return
        const { promise, resolve } = createDeferred()
        wake = resolve
        await promise
      }
    },
  }
}

/** A promise and what settles it: `Promise.withResolvers` for Node 20. */
export function createDeferred<Value = void>(): PromiseWithResolvers<Value> {
  let resolve: PromiseWithResolvers<Value>['resolve'] = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<Value>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}

type Key = string | number | null

/**
 * Jobs of one key one after the other, keys side by side. At most `atOnce` jobs run at a time; keys take turns. A job must not
 * reject.
 */
export function createKeyedQueue<Item>(atOnce: number, run: (item: Item) => Promise<void>) {
  const queues = new Map<Key, Queue<Item>>()
  const ready = new Queue<readonly [Key, Queue<Item>]>()
  let running = 0
  let left = 0
  const waiting: (() => void)[] = []

  const start = () => {
    while (running < atOnce) {
      const next = ready.dequeue()
      if (next === undefined) return
      void work(...next)
    }
  }
  const work = async (key: Key, queue: Queue<Item>) => {
    const item = queue.dequeue()
    if (item === undefined) return
    running++
    await run(item)
    running--
    left--
    if (queue.size > 0) ready.enqueue([key, queue])
    else queues.delete(key)
    for (const wake of waiting.splice(0)) wake()
    start()
  }
  return {
    /** Takes an item; its job runs when those before it of the same key have ended. */
    push(key: Key, item: Item) {
      left++
      const keyQueue = queues.get(key)
      if (keyQueue !== undefined) return keyQueue.enqueue(item)
      const queue = new Queue<Item>()
      queue.enqueue(item)
      queues.set(key, queue)
      ready.enqueue([key, queue])
      start()
    },
    /** Items that are not done. */
    get left() {
      return left
    },
    /** Resolves when fewer items than this are left. */
    async fewer(than: number) {
      while (left >= than) await new Promise<void>(wake => waiting.push(wake))
    },
  }
}
