/**
 * `import … from 'callyard/sandbox'`: the whole calling service inside of the process of a test. Importing it does nothing else.
 */
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { backgroundClock } from '../lib/clock.ts'
import type { Sandbox, SandboxOptions, TestRunner } from './public-sandbox.ts'
import { CallyardError } from './public-types.ts'

export type * from './public-sandbox.ts'
export { CallyardError } from './public-types.ts'

/**
 * Starts the service in memory on a free port of 127.0.0.1. With `project`, creates all resources of the project's files without a
 * lockfile. With the same seed, the same calls have the same ids, times and faults. Sends webhooks and requests to tools and models only
 * to this machine, except for `llm` and the hosts in `allowHosts`.
 *
 * @example
 * const sandbox = await startSandbox({ project: 'desk' })
 * after(() => sandbox.close())
 * const call = await sandbox.call({ assistant: 'front-desk', caller: ['Are you open?', 'Goodbye'] })
 * console.log(String(call.transcript))
 *
 * @throws CallyardError for invalid options, by `field`; `invalid-files` with all `findings` for an invalid project; `no-project-in`;
 * `port-taken`
 */
export async function startSandbox(options?: SandboxOptions): Promise<Sandbox> {
  opened ??= openCode()
  await opened
  const { openSandbox } = await import('./open-sandbox.ts')
  return openSandbox(options, backgroundClock)
}

let opened: Promise<void> | undefined

/** Tests start this sandbox in many short processes, so code that an earlier one compiled is used. */
async function openCode(): Promise<void> {
  // A bundle has no such folder.
  if (typeof import.meta.dirname !== 'string') return
  const { openCompiledCode } = await import('../lib/process/compiled-code.ts')
  openCompiledCode(join(import.meta.dirname, 'sandbox.js'), manifest.version, process.env)('library')
}

/**
 * Starts a sandbox before the tests of a file, resets it before each of them, and closes it after the last one. `options` may be a
 * function, which is called before the first test.
 *
 * @example
 * import * as runner from 'node:test'
 * const sandbox = setupSandbox(runner, { project: 'desk' })
 * runner.test('the assistant ends the call', async () => {
 *   const call = await sandbox().call({ assistant: 'front-desk', caller: 'Goodbye' })
 *   if (call.endedBy !== 'assistant') throw new Error(String(call.transcript))
 * })
 *
 * @returns a function that returns the sandbox, for use inside of tests and hooks
 * @throws CallyardError `not-allowed` for a test runner without these hooks
 */
export function setupSandbox(
  runner: TestRunner,
  options: SandboxOptions | (() => SandboxOptions) = {},
): () => Sandbox {
  const { beforeAll = runner.before, beforeEach, afterAll = runner.after } = runner
  if (beforeAll === undefined || beforeEach === undefined || afterAll === undefined)
    throw new CallyardError(
      'not-allowed',
      'setupSandbox: the test runner has no beforeAll, beforeEach or afterAll',
      {
        field: 'runner',
        hint: "pass the module, such as import * as runner from 'vitest'",
      },
    )
  let sandbox: Sandbox | undefined
  beforeAll(async () => {
    sandbox = await startSandbox(typeof options === 'function' ? options() : options)
  })
  beforeEach(async () => sandbox?.reset())
  afterAll(async () => sandbox?.close())
  return () => {
    if (sandbox !== undefined) return sandbox
    throw new CallyardError('closed', 'setupSandbox: the sandbox has not started yet', {
      hint: 'call the function inside a test or a hook',
    })
  }
}
