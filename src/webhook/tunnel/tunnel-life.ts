import type { Clock } from '../../lib/clock.ts'
import { startTimer } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { createOutputLines } from '../../lib/process/output-lines.ts'
import { type Program, startProgram } from '../../lib/process/start-program.ts'
import { createUrlChoice, findUrls } from './find-url.ts'
import type { TunnelProgram } from './tunnel-program.ts'

export interface TunnelLifeOptions {
  readonly program: TunnelProgram
  /** Of the listener. */
  readonly port: number
  readonly cwd: string
  readonly env: Environment
  readonly clock: Clock
  /** Called once at most; `others` are URLs of other hosts, which it printed too. */
  onUrl(url: string, others: readonly string[]): void
}

/** A tunnel program from its start to its end. */
export interface TunnelLife extends Program {
  /** The last lines that it printed. */
  lines(): string[]
}

const maxLineLength = 16 * 1024
const maxLines = 20
/** Of a line that is told. */
const maxShownLength = 500
/** Milliseconds in which another URL may still come, or the rest of a line that does not end. */
const settling = 500

/**
 * Starts a tunnel program and reads what it prints; its stdin is empty. A line that the pattern matches gives the URL at
 * once; without a pattern it is the best one when no further host came for half a second.
 */
export async function startTunnelLife(options: TunnelLifeOptions): Promise<TunnelLife> {
  const { program, port, cwd, env, clock, onUrl } = options
  const { command, pattern } = program
  const last: string[] = []
  const choice = createUrlChoice()
  let isOver = false
  let cancelSettling = () => {}
  let begunUrls = ''
  let isFound = false

  const findIn = (line: string) => findUrls(line, { port, pattern })
  /** Whether the line has something new. */
  const consider = (line: string) => findIn(line).map(choice.add).includes(true)
  const decide = () => {
    const { best, others } = choice
    if (best === undefined || isFound || isOver) return
    isFound = true
    onUrl(best, others)
  }
  const take = (line: string) => {
    if (line.trim() !== '') last.push(line.slice(0, maxShownLength))
    if (last.length > maxLines) last.shift()
    if (isFound || !consider(line)) return
    if (pattern !== undefined) decide()
    else settleLater()
  }
  const streams = {
    stdout: createOutputLines(maxLineLength, take),
    stderr: createOutputLines(maxLineLength, take),
  }
  const settleLater = () => {
    cancelSettling()
    if (isOver) return
    cancelSettling = startTimer(
      settling,
      () => {
        for (const { begun } of Object.values(streams)) consider(begun)
        decide()
      },
      clock,
    )
  }
  /** A line that does not end may name a URL too, once no more of it comes. */
  const lookAtBegun = () => {
    const before = begunUrls
    begunUrls = Object.values(streams)
      .flatMap(({ begun }) => findIn(begun))
      .join(' ')
    if (begunUrls !== before && begunUrls !== '') settleLater()
  }
  const running = await startProgram({
    command,
    cwd,
    env,
    clock,
    onOutput(bytes, stream) {
      streams[stream].push(bytes)
      if (!isFound) lookAtBegun()
    },
  })
  const ended = running.ended.then(ending => {
    isOver = true
    cancelSettling()
    for (const each of Object.values(streams)) each.end()
    return ending
  })
  return { ...running, ended, lines: () => [...last] }
}
