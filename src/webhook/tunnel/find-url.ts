import { createContext, Script } from 'node:vm'
import { isLoopbackName } from '../../lib/net/address.ts'

export interface FindUrlOptions {
  /** Of this listener, whose own address a tunnel program may print too. */
  readonly port: number
  /** Its first group, or all that it matches, is the public URL; without one any URL counts. */
  readonly pattern?: RegExp | undefined
}

/**
 * The URLs that a line of a tunnel program's output names, http or https, without query, user and slash at the end; the
 * listener's own is none. Escape sequences and the punctuation behind a URL are no part of it.
 */
export function findUrls(line: string, { port, pattern }: FindUrlOptions): string[] {
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

/** The characters of a URL, but for those that stand around one more often than in it. */
const anyUrl = /\bhttps?:\/\/(?:(?![,;(]https?:)[\w\-.~:/?#[\]@!$&()*+,;=%])+/gi
/** Hyperlinks (their address is kept), titles and other commands to the terminal; colours; whatever moves the cursor. */
const hyperlink = /\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x07|\x1b\\)/g
const command = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g
const colour = /\x1b\[[\d;:]*m/g
const movement = /\x1b\[[\d;:?<=>]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g

/** A colour may stand inside a word; what moves the cursor separates words. */
function withoutSequences(line: string): string {
  return line.replace(hyperlink, ' $1 ').replace(command, '').replace(colour, '').replace(movement, ' ')
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

const maxMatchMs = 200
const matching = new Script('text.match(pattern)')
const slowPatterns = new WeakSet<RegExp>()

/**
 * Matches a person's pattern with foreign text. A pattern that takes longer than 0.2 s, as (a+)+$ may, matches nothing from then on:
 * else no signal would be heard.
 */
export function matchInTime(text: string, pattern: RegExp): readonly (string | undefined)[] | undefined {
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

export interface UrlChoice {
  /** Whether it changes anything: its host was not there before, or not with https. */
  add(url: string): boolean
  /** The one that is most likely the public one. */
  readonly best: string | undefined
  /** Of the hosts that are not taken, but for this machine. */
  readonly others: readonly string[]
}

/** More are no banner of a tunnel program, but something that goes on for ever. */
const maxHosts = 20

/**
 * Chooses among the URLs that a tunnel program prints: https before http, another machine before this one, and of those
 * that are alike the last, as programs greet with their own pages before they have a tunnel. A host counts with what was
 * printed of it first.
 */
export function createUrlChoice(): UrlChoice {
  const hosts = new Map<string, URL>()
  const chosen = () =>
    [...hosts.values()].reduce<URL | undefined>(
      (best, url) => (best === undefined || rank(url) >= rank(best) ? url : best),
      undefined,
    )
  return {
    add(text) {
      const url = new URL(text)
      const before = hosts.get(url.hostname)
      if (before === undefined ? hosts.size >= maxHosts : rank(before) >= rank(url)) return false
      hosts.delete(url.hostname)
      hosts.set(url.hostname, url)
      return true
    },
    get best() {
      const url = chosen()
      return url === undefined ? undefined : plainUrl(url)
    },
    get others() {
      const best = chosen()
      return [...hosts.values()].filter(url => url !== best && !isThisMachine(url)).map(plainUrl)
    },
  }
}

/** Also by the addresses that a listener on all of them has. */
export function isThisMachine({ hostname }: URL): boolean {
  return isLoopbackName(hostname) || ['0.0.0.0', '[::]'].includes(hostname)
}

/** Without query, user and slash at the end. */
export function plainUrl({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '')
}

function rank(url: URL): number {
  if (isThisMachine(url)) return 0
  return url.protocol === 'https:' ? 2 : 1
}
