import type { Clock, Environment } from '../../context.ts'
import { createOutputLines } from '../processes/output-lines.ts'
import { type Program, startProgram } from '../processes/start-program.ts'
import { betterUrl, type FoundUrl, findUrl } from './find-url.ts'
import type { TunnelProgram } from './tunnel-program.ts'

export interface TunnelLifeOptions {
  readonly program: TunnelProgram
  /** Of the listener. */
  readonly port: number
  readonly cwd: string
  readonly env: Environment
  readonly clock: Clock
  /** Called once at most. */
  onUrl(url: string): void
}

/** A tunnel program from its start to its end. */
export interface TunnelLife extends Program {
  /** The last lines that it printed. */
  lines(): string[]
}

const longestLine = 16 * 1024
const mostLines = 20
/** Of a line that is told. */
const longestTold = 500
/** Milliseconds in which a better URL may still come, or the rest of a line that does not end. */
const settling = 500

/** Starts a tunnel program and reads what it prints; its stdin is empty. */
export async function startTunnelLife(options: TunnelLifeOptions): Promise<TunnelLife> {
  const { program, port, cwd, env, clock, onUrl } = options
  const last: string[] = []
  const over = new AbortController()
  let settle = new AbortController()
  let best: FoundUrl | undefined
  let bestSince = 0
  let isFound = false

  const consider = (line: string) => {
    const found = findUrl(line, { port, pattern: program.pattern })
    if (best === undefined && found !== undefined) bestSince = clock.now()
    best = betterUrl(best, found)
  }
  const decide = (isLast: boolean) => {
    if (isFound || best === undefined || !(isLast || best.sure)) return
    isFound = true
    onUrl(best.url)
  }
  const take = (line: string) => {
    if (line.trim() !== '') last.push(line.slice(0, longestTold))
    if (last.length > mostLines) last.shift()
    if (isFound) return
    consider(line)
    decide(best !== undefined && clock.now() - bestSince >= settling)
  }
  const streams = {
    stdout: createOutputLines(longestLine, take),
    stderr: createOutputLines(longestLine, take),
  }

  /** Once nothing has come for a while, what is there is all there is. */
  const settleLater = () => {
    settle.abort()
    settle = new AbortController()
    clock.sleep(settling, AbortSignal.any([settle.signal, over.signal])).then(
      () => {
        for (const { begun } of Object.values(streams)) consider(begun)
        decide(true)
      },
      () => undefined,
    )
  }
  const running = await startProgram({
    command: program.command,
    cwd,
    env,
    clock,
    onOutput(bytes, stream) {
      streams[stream].push(bytes)
      if (!isFound) settleLater()
    },
  })
  const ended = running.ended.then(ending => {
    for (const each of Object.values(streams)) each.end()
    over.abort()
    return ending
  })
  return { ...running, ended, lines: () => [...last] }
}
