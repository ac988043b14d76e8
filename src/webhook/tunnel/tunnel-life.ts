import { createContext, Script } from 'node:vm'
import { type Clock, startTimer } from '../../lib/clock.ts'
import { isLoopbackName } from '../../lib/net/address.ts'
import { createOutputLines } from '../../lib/process/output-lines.ts'
import { startProgram } from '../../lib/process/program.ts'
import { programEnvironment } from '../program-environment.ts'
import type { TunnelProgram, WantedProgram } from './tunnel-program.ts'

interface TunnelLifeOptions extends Pick<WantedProgram, 'port' | 'cwd' | 'env'> {
  readonly program: TunnelProgram
  readonly clock: Clock
  /** Called once at most; `others` are URLs of other hosts, which it printed too. */
  onUrl(url: string, others: readonly string[]): void
}

/** A tunnel program from its start to its end. */
export type TunnelLife = Awaited<ReturnType<typeof startTunnelLife>>

const maxLineLength = 16 * 1024
const maxLines = 20
/** Length limit of stored lines. */
const maxShownLength = 500
/** In which another URL may still come, or the rest of a line that does not end. */
const settlingMs = 500

/**
 * Starts a tunnel program and reads its output; its stdin is empty. A line that matches the pattern contains the URL; without a pattern,
 * the best URL is used once no other host appeared for half a second.
 */
export async function startTunnelLife({ program, port, cwd, env, clock, onUrl }: TunnelLifeOptions) {
  const { command, pattern } = program
  const last: string[] = []
  const choice = createUrlChoice()
  let isOver = false
  let cancelSettling = () => {}
  let begunUrls = ''
  let isFound = false

  const findIn = (line: string) => findUrls(line, { port, pattern })
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
      settlingMs,
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
    env: programEnvironment(env),
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
  return {
    ...running,
    ended,
    /** The last lines that it printed. */
    lines: () => [...last],
  }
}

/**
 * Returns the http and https URLs in a line of a tunnel program's output, without query, user and trailing slash. Excludes the
 * listener's own URL, which a tunnel program may print, escape sequences, and punctuation after a URL. Without a pattern every URL
 * counts.
 */
export function findUrls(line: string, { port, pattern }: Pick<WantedProgram, 'port' | 'pattern'>): string[] {
  const words = withoutSequences(line)
  if (pattern !== undefined) {
    const [whole, group] = matchInTime(words, pattern) ?? []
    const text = group ?? whole
    const [inside] = text?.match(anyUrl) ?? []
    const url = text === undefined ? undefined : readUrl(inside ?? `https://${text}`)
    return url === undefined ? [] : [plainUrl(url)]
  }
  return Array.from(words.matchAll(anyUrl), ([text]) => readUrl(text))
    .filter(url => url !== undefined)
    .filter(url => !isListener(url, port))
    .map(plainUrl)
}

/** Characters of a URL, except those that usually surround one. */
const anyUrl = /\bhttps?:\/\/(?:(?![,;(]https?:)[\w\-.~:/?#[\]@!$&()*+,;=%])+/gi
/** Hyperlinks (their address is kept), titles and other commands to the terminal; colors; movements of the cursor. */
const hyperlink = /\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x07|\x1b\\)/g
const command = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g
const color = /\x1b\[[\d;:]*m/g
const movement = /\x1b\[[\d;:?<=>]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g

/** Colors may occur inside a word; cursor movements separate words. */
function withoutSequences(line: string): string {
  return line.replace(hyperlink, ' $1 ').replace(command, '').replace(color, '').replace(movement, ' ')
}

function readUrl(text: string): URL | undefined {
  const trimmed = withoutPunctuation(text)
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return undefined
  const url = new URL(trimmed)
  return url.username === '' && url.password === '' ? url : undefined
}

/** A closing bracket belongs to a URL that opens one for it. */
function withoutPunctuation(text: string): string {
  for (let url = text; ; url = url.slice(0, -1)) {
    const last = url.at(-1) ?? ''
    const opening = { ')': '(', ']': '[' }[last]
    const isLoose =
      opening === undefined ? /[.,;:!?'"*>}|]/.test(last) : url.split(last).length > url.split(opening).length
    if (!isLoose) return url
  }
}

function isListener(url: URL, port: number): boolean {
  const given = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return given === port && isThisMachine(url)
}

// Wall time: on a busy machine, even a simple pattern takes long.
const maxMatchMs = 2000
const matching = new Script('text.match(pattern)')
const slowPatterns = new WeakSet<RegExp>()

/**
 * Matches a person's pattern with foreign text. A pattern that takes longer than two seconds, as (a+)+$ may, matches nothing from then on:
 * else no signal would be heard.
 */
function matchInTime(text: string, pattern: RegExp): readonly (string | undefined)[] | undefined {
  if (slowPatterns.has(pattern)) return undefined
  try {
    const found: unknown = matching.runInContext(createContext({ text, pattern }), { timeout: maxMatchMs })
    return Array.isArray(found)
      ? found.map(group => (group === undefined ? undefined : String(group)))
      : undefined
  } catch {
    slowPatterns.add(pattern)
    return undefined
  }
}

/** More hosts are not a banner but endless output. */
const maxHosts = 20

/**
 * Chooses one of the URLs that a tunnel program prints: https before http, another machine before this one, and the last of equals,
 * because programs print links to their own pages first. The first URL of a host counts.
 */
export function createUrlChoice() {
  const hosts = new Map<string, URL>()
  const chosen = () => [...hosts.values()].toSorted((one, other) => rank(one) - rank(other)).at(-1)
  return {
    /** Returns true if the host is new, or new with https. */
    add(text: string): boolean {
      const url = new URL(text)
      const before = hosts.get(url.hostname)
      if (before === undefined ? hosts.size >= maxHosts : rank(before) >= rank(url)) return false
      hosts.delete(url.hostname)
      hosts.set(url.hostname, url)
      return true
    },
    /** The most likely public URL. */
    get best(): string | undefined {
      const url = chosen()
      return url === undefined ? undefined : plainUrl(url)
    },
    /** Other hosts, except this machine. */
    get others(): readonly string[] {
      const best = chosen()
      return [...hosts.values()].filter(url => url !== best && !isThisMachine(url)).map(plainUrl)
    },
  }
}

/** Also by the addresses that a listener on all of them has. */
function isThisMachine({ hostname }: URL): boolean {
  return isLoopbackName(hostname) || ['0.0.0.0', '[::]'].includes(hostname)
}

/** Without query, user and slash at the end. */
function plainUrl({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '')
}

function rank(url: URL): number {
  if (isThisMachine(url)) return 0
  return url.protocol === 'https:' ? 2 : 1
}
