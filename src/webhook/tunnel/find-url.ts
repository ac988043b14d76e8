import { matchInTime } from './match-in-time.ts'
import { isThisMachine, plainUrl } from './url-choice.ts'

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
