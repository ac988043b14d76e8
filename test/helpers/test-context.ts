import { tmpdir } from 'node:os'
import { createCapturedHost } from '../../src/cli/shell/captured-host.ts'
import type { Context } from '../../src/cli/shell/context.ts'
import { createContext } from '../../src/cli/shell/create-context.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { realClock } from './real-clock.ts'

export interface TestContext extends Context {
  readonly written: { readonly stdout: string; readonly stderr: string }
  /** Aborts the signal. */
  cancel(): void
  /** Resolves once stdout or stderr hold this text. */
  wrote(text: string): Promise<void>
}

/** The context of a command without a terminal, for code of commands that is tested without its command. */
export function testContext({
  json = false,
  cwd = tmpdir(),
  env = process.env,
  clock = realClock,
  platform = process.platform,
}: {
  json?: boolean
  cwd?: string
  env?: Context['env']
  clock?: Clock
  platform?: NodeJS.Platform
} = {}): TestContext {
  const ending = new AbortController()
  let waiting: (() => void)[] = []
  const { host, printed } = createCapturedHost([], {
    ...{ cwd, env, clock, platform, signal: ending.signal },
    onPrint() {
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
  })
  const { context } = createContext(host, { json })
  return Object.assign(context, {
    written: printed,
    cancel: () => ending.abort('SIGINT'),
    async wrote(text: string) {
      while (!`${printed.stdout}${printed.stderr}`.includes(text)) {
        await new Promise<void>(resolve => waiting.push(resolve))
      }
    },
  })
}
