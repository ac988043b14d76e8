let isSkipped = false

/** Loaded before the flag is set: with it, V8 rejects the code that comes with Node, and compiles these modules again. */
const loadedByUndici = ['node:http', 'node:assert']

/**
 * Makes V8 compile undici's parser without optimizing it: at the end of a process Node 20 waits for the optimizer, which takes longer than
 * a request. For commands that send requests and end; servers keep the optimizer. From Node 22 on, the flags cost more than they save.
 */
export function skipOptimizer(): void {
  if (isSkipped || !process.version.startsWith('v20.')) return
  for (const name of loadedByUndici) process.getBuiltinModule(name)
  isSkipped = true
  setFlags('--liftoff-only')
}

/** Runs a function with the flags that the process started with: V8 rejects compiled code that was created with other ones. */
export function withOptimizer<Result>(run: () => Result): Result {
  if (!isSkipped) return run()
  // `--liftoff-only` implies the opposite of the last two.
  setFlags('--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering')
  try {
    return run()
  } finally {
    setFlags('--liftoff-only')
  }
}

/** An import would load node:v8 at each start, which takes longer than a chunk of callyard. */
function setFlags(...flags: readonly string[]): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  for (const flag of flags) setFlagsFromString(flag)
}
