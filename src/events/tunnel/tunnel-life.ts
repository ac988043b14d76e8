import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '../../lib/clock.ts'
import { createOutputLines } from '../../lib/process/output-lines.ts'
import { startProgram } from '../../lib/process/program.ts'
import type { ProgramEnvironment } from '../../lib/process/program-environment.ts'
import type { TunnelProgram } from './tunnel-program.ts'

interface TunnelLifeOptions {
  readonly program: TunnelProgram
  readonly cwd: string
  readonly env: ProgramEnvironment
  readonly clock: Clock
  /** Called once at most. */
  onUrl(url: string): void
}

/** A tunnel program from its start to its end. */
export type TunnelLife = Awaited<ReturnType<typeof startTunnelLife>>

const maxLineLength = 16 * 1024
const maxLines = 20
/** Length limit of stored lines. */
const maxShownLength = 500

/** Starts a tunnel program and reads its output: the first line that matches its pattern contains the URL. Its stdin is empty. */
export async function startTunnelLife({ program, cwd, env, clock, onUrl }: TunnelLifeOptions) {
  const { command, pattern } = program
  const last: string[] = []
  let isFound = false

  const onLine = (line: string) => {
    if (line.trim() !== '') last.push(line.slice(0, maxShownLength))
    if (last.length > maxLines) last.shift()
    const url = isFound ? undefined : findUrl(line, pattern)
    if (url === undefined) return
    isFound = true
    onUrl(url)
  }
  const streams = {
    stdout: createOutputLines(maxLineLength, onLine),
    stderr: createOutputLines(maxLineLength, onLine),
  }
  const running = await startProgram({
    ...{ command, cwd, env, clock },
    onOutput: (bytes, stream) => streams[stream].push(bytes),
  })
  const ended = running.ended.then(ending => {
    // A URL in the rest of a line is no longer reached.
    isFound = true
    for (const stream of Object.values(streams)) stream.end()
    return ending
  })
  return {
    ...running,
    ended,
    /** The last lines that it printed. */
    lines: () => [...last],
  }
}

/** Characters of a URL, except punctuation after it. */
const anyUrl = /https?:\/\/[^\s"'<>|]*[^\s"'<>|.,;:!?)*\]]/i

/**
 * Returns the http or https URL in the part of a line that matches, without query and trailing slash. The part may be a host. Undefined
 * for a URL with a user name or password.
 */
export function findUrl(line: string, { match }: TunnelProgram['pattern']): string | undefined {
  const part = match(stripVTControlCharacters(line))
  if (part === undefined) return undefined
  const [text] = anyUrl.exec(part.includes('://') ? part : `https://${part}`) ?? []
  if (text === undefined || !URL.canParse(text)) return undefined
  const { username, password, origin, pathname } = new URL(text)
  return username === '' && password === '' ? origin + pathname.replace(/\/+$/, '') : undefined
}
