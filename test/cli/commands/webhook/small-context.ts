import { tmpdir } from 'node:os'
import type { Context } from '../../../../src/cli/shell/context.ts'
import { createOutput } from '../../../../src/cli/shell/output/create-output.ts'
import type { Clock } from '../../../../src/lib/clock.ts'
import { createProgramEnvironment } from '../../../../src/lib/process/program-environment.ts'
import { realClock } from '../../../helpers/real-clock.ts'

type Part = Pick<Context, 'output' | 'clock' | 'cwd' | 'env' | 'programEnv' | 'signal' | 'platform'>

export interface SmallContext extends Part {
  readonly written: { readonly stdout: string; readonly stderr: string }
  /** Aborts the signal. */
  cancel(): void
  /** Resolves once stdout or stderr hold this text. */
  wrote(text: string): Promise<void>
}

/** A minimal context for output and waiting, without a command. */
export function smallContext({
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
} = {}): SmallContext {
  const written = { stdout: '', stderr: '' }
  const ending = new AbortController()
  let waiting: (() => void)[] = []
  const sink = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      written[name] += text
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
  })
  return {
    written,
    output: createOutput({ stdout: sink('stdout'), stderr: sink('stderr'), cwd }, { json, env: {} }),
    clock,
    cwd,
    env,
    programEnv: createProgramEnvironment(env),
    platform,
    signal: ending.signal,
    cancel: () => ending.abort('SIGINT'),
    async wrote(text) {
      while (!`${written.stdout}${written.stderr}`.includes(text)) {
        await new Promise<void>(resolve => waiting.push(resolve))
      }
    },
  }
}
