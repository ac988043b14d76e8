import { spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { bin, pathWithBin } from './run-bin.ts'

export interface TerminalProcess {
  readonly pid: number
  /** Everything that the terminal has read so far, escape sequences included. */
  readonly screen: string
  /** Resolves once the screen has this. */
  shows(pattern: RegExp): Promise<void>
  type(text: string): void
  /** The terminal reads no more, as after Ctrl-S. */
  stopReading(): void
  readAgain(): void
  kill(signal: NodeJS.Signals): void
  /** The window is closed: the kernel sends SIGHUP, and what is written from then on fails. */
  close(): void
  readonly exitCode: Promise<number>
}

interface TerminalOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Default: the built command. */
  readonly program?: string
}

/** Starts the built command in a real terminal of 80 by 24; it is ended with the test at the latest. */
export function startInTerminal(
  argv: readonly string[],
  { program = bin, ...options }: TerminalOptions,
): TerminalProcess {
  return startTerminal(process.execPath, [program, ...argv], options)
}

/** Starts bash with job control in the same terminal. */
export function startShell(options: Omit<TerminalOptions, 'program'>): TerminalProcess {
  return startTerminal('bash', ['--noprofile', '--norc', '-i'], options)
}

function startTerminal(
  file: string,
  argv: string[],
  { cwd, env = {} }: Omit<TerminalOptions, 'program'>,
): TerminalProcess {
  const terminal = spawn(file, argv, {
    cols: 80,
    rows: 24,
    cwd,
    env: {
      PATH: pathWithBin,
      HOME: process.env.HOME,
      TERM: 'xterm-256color',
      NO_UPDATE_NOTIFIER: '1',
      ...env,
    },
  })
  let screen = ''
  let waiting: (() => void)[] = []
  terminal.onData(data => {
    screen += data
    for (const look of waiting) look()
  })
  let running = true
  const exitCode = new Promise<number>(resolve => {
    terminal.onExit(ended => {
      running = false
      resolve(ended.exitCode)
    })
  })
  onTestFinished(async () => {
    terminal.resume()
    if (running) terminal.kill('SIGKILL')
    await exitCode
  })
  return {
    pid: terminal.pid,
    get screen() {
      return screen
    },
    shows: pattern =>
      new Promise(resolve => {
        const look = () => {
          if (!pattern.test(screen)) return
          waiting = waiting.filter(other => other !== look)
          resolve()
        }
        waiting.push(look)
        look()
      }),
    type: text => terminal.write(text),
    stopReading: () => terminal.pause(),
    readAgain: () => terminal.resume(),
    kill: signal => void process.kill(terminal.pid, signal),
    close() {
      // Not among the published types.
      if (!('destroy' in terminal) || typeof terminal.destroy !== 'function') throw new Error('cannot close')
      terminal.destroy()
    },
    exitCode,
  }
}
