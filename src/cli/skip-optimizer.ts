import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 compile undici's parser without optimizing it: at the end of a process Node 20 waits for the optimizer, which takes longer than
 * a request. For commands that send requests and end; servers keep the optimizer.
 */
export function skipOptimizer(): void {
  setFlagsFromString('--liftoff-only')
}
