/**
 * `import … from 'callwright/sandbox'`: the whole calling service inside of the process of a test. Importing it does nothing else.
 */
import { backgroundClock } from '../lib/clock.ts'
import type { Sandbox, SandboxOptions } from './public-sandbox.ts'

export type * from './public-sandbox.ts'
export { CallwrightError } from './public-types.ts'

/**
 * Starts the service on a free port of 127.0.0.1, in memory. With `project`, everything that the project's files describe is
 * created in it; no lockfile is read or written. With the same seed the same calls have the same ids, times and faults.
 * Webhooks, tools and models are asked on this machine alone, but for `llm` and what `allowHosts` names.
 *
 * @example
 * const sandbox = await startSandbox({ project: 'desk' })
 * const call = await sandbox.call({ assistant: 'front-desk', caller: ['Are you open?', 'Goodbye'] })
 * console.log(String(call.transcript))
 * await sandbox.close()
 *
 * @throws CallwrightError for options that cannot be, by `field`; `invalid-files` with all `findings` for a project that does not
 * pass; `no-project-in`; `port-taken`
 */
export async function startSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const { openSandbox } = await import('./open-sandbox.ts')
  return openSandbox(options, backgroundClock)
}
