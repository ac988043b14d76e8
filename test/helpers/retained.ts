import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Counts objects that survive a garbage collection. `queryObjects` of node:v8 takes seconds in the heap of a test worker. */
export function trackRetained() {
  const references: WeakRef<object>[] = []
  const visited = new WeakSet<object>()
  return {
    add(object: object): void {
      if (visited.has(object)) return
      visited.add(object)
      references.push(new WeakRef(object))
    },
    get size() {
      return references.length
    },
    async countRetained(): Promise<number> {
      // An object stays until the end of the turn in which its WeakRef was created.
      await setImmediate()
      collectGarbage()
      return references.filter(reference => reference.deref() !== undefined).length
    },
  }
}
