export interface Queue<Item> extends AsyncIterable<Item> {
  /** Adds an item; its weight counts until it is taken. */
  push(item: Item, weight: number): void
  /** Ends the iteration once everything is taken. */
  end(): void
  /** The weights of all that waits. */
  readonly waiting: number
}

/** Items from one producer for one consumer; the producer never waits. */
export function createQueue<Item>(): Queue<Item> {
  // Two arrays, swapped when the consumer has emptied its own: shift() on a long array costs its length.
  let arriving: { item: Item; weight: number }[] = []
  let leaving: { item: Item; weight: number }[] = []
  let taken = 0
  let waiting = 0
  let ended = false
  let wake = () => {}

  return {
    push(item, weight) {
      arriving.push({ item, weight })
      waiting += weight
      wake()
    },
    end() {
      ended = true
      wake()
    },
    get waiting() {
      return waiting
    },
    async *[Symbol.asyncIterator]() {
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

/** A promise and what resolves it: `Promise.withResolvers` for Node 20. */
export function createDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(fulfil => {
    resolve = fulfil
  })
  return { promise, resolve }
}
