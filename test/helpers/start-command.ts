import { onTestFinished } from 'vitest'
import { realClock } from './real-clock.ts'
import { post } from './target-server.ts'
import type { RunExtra, RunResult, TestCli } from './test-cli.ts'

export interface RunningCommand {
  /** Exit code and output, once the command has ended. */
  readonly result: Promise<RunResult>
  /** Everything printed so far, stdout and stderr. */
  output(): string
  /** Waits until a text is printed, and returns its match. Rejects if the command ends without it. */
  printed(pattern: string | RegExp): Promise<readonly string[]>
  /** Ends the command by a signal. */
  end(reason?: NodeJS.Signals): Promise<RunResult>
}

/** Starts a command of a test CLI that runs until a signal, in this process; ended with the test at the latest. */
export function startCommand(
  cli: Pick<TestCli, 'runWith'>,
  argv: readonly string[],
  extra: Omit<RunExtra, 'signal' | 'printed'> = {},
): RunningCommand {
  const ending = new AbortController()
  let output = ''
  let hasEnded = false
  let listeners: (() => void)[] = []
  const notify = () => {
    const notified = listeners
    listeners = []
    for (const listener of notified) listener()
  }
  const printed = (text: string) => {
    output += text
    notify()
  }
  const result = cli.runWith({ clock: realClock, ...extra, signal: ending.signal, printed }, ...argv)
  const onEnd = () => {
    hasEnded = true
    notify()
  }
  result.then(onEnd, onEnd)
  const end = (reason: NodeJS.Signals = 'SIGINT') => {
    ending.abort(reason)
    return result
  }
  onTestFinished(async () => void (await end()))
  return {
    result,
    output: () => output,
    async printed(pattern) {
      for (;;) {
        const match =
          typeof pattern === 'string' ? output.includes(pattern) && [pattern] : pattern.exec(output)
        if (match) return match
        if (hasEnded) throw new Error(`the command ended without ${pattern}:\n${output}`)
        await new Promise<void>(resolve => listeners.push(resolve))
      }
    },
    end,
  }
}

const listening = /Ctrl-C on\s+(http:\S+)|"kind":"ready".*?"url":"(http:[^"]+)"/

/** Starts a command that listens until a signal, such as `webhook tail --port 0`. */
export async function startListening(...command: Parameters<typeof startCommand>) {
  const running = startCommand(...command)
  const [, printed, ready] = await running.printed(listening)
  const url = printed ?? ready ?? ''
  return {
    ...running,
    url,
    /** Sends an event; returns the status of the response. */
    post: (body: unknown, headers?: Readonly<Record<string, string>>) => post(url, body, headers),
  }
}

/** Starts `webhook tail` on a free port. */
export async function startTail(
  cli: Pick<TestCli, 'runWith'>,
  flags: readonly string[] = [],
  extra: Parameters<typeof startCommand>[2] = {},
) {
  return startListening(cli, ['webhook', 'tail', '--port', '0', ...flags], extra)
}
