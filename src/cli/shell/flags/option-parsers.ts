import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CallyardError } from '../../../lib/error.ts'
import { nestsAtMost, parseJson } from '../../../lib/json.ts'
import { readDateTime, readDuration } from '../../../lib/text/date-time.ts'
import { didYouMean } from '../../../lib/text/did-you-mean.ts'
import { isEncoding } from '../../../lib/text/encoding.ts'
import { splitPair } from '../../../lib/text/pair.ts'

const durations: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }
const sizes: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }
/** Probability of a fault that is named without one. */
const defaultProbability = 0.2
/** The longest delay a Node timer can hold; a longer one would fire at once. */
const maxDelayMs = 2_147_483_647
/** The limit of files. */
const maxMetadataLevels = 100

type FlagParser<Value> = ((text: string) => Value) & {
  /** JSON Schema of the value (decision 0009). */
  readonly schema: Readonly<Record<string, unknown>>
}

function flagParser<Value>(
  schema: FlagParser<Value>['schema'],
  parse: (text: string) => Value,
): FlagParser<Value> {
  return Object.assign(parse, { schema })
}

/** `30s`, `500ms`, `2m` → milliseconds. */
export const parseDuration = flagParser({ type: 'string', examples: ['500ms', '30s', '2m'] }, text => {
  const milliseconds = withUnit(text, durations)
  if (milliseconds === undefined || milliseconds <= 0) {
    throw new InvalidArgumentError('Use a duration such as 500ms, 30s or 2m.')
  }
  if (milliseconds > maxDelayMs) throw new InvalidArgumentError('Use a duration of at most 35791m (24 days).')
  return Math.ceil(milliseconds)
})

/** Like `parseDuration`, or `0s` for no wait. */
export const parseWait = flagParser({ type: 'string', examples: ['0s', '30s', '2m'] }, text =>
  withUnit(text, durations) === 0 ? 0 : parseDuration(text),
)

/** `12h`, `30d`, `8w` → milliseconds. */
export const parseAge = flagParser({ type: 'string', examples: ['12h', '30d'] }, text => {
  const age = readDuration(text)
  if (age === undefined) throw new InvalidArgumentError('Use an age such as 12h, 30d or 8w.')
  return age
})

/** `10mb`, `512kb` → bytes. */
export const parseSize = flagParser({ type: 'string', examples: ['512kb', '10mb'] }, text => {
  const bytes = withUnit(text, sizes)
  if (bytes === undefined || bytes < 1) throw new InvalidArgumentError('Use a size such as 512kb or 10mb.')
  return Math.floor(bytes)
})

/** `now`, `2026-01-02` (midnight UTC) or `2026-01-02T09:30:00Z` → milliseconds since the epoch, or `now`. */
export function parseMoment(text: string): number | 'now' {
  if (text === 'now') return 'now'
  const at = readDateTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
  if (at === undefined)
    throw new InvalidArgumentError(
      'Use now, a day such as 2026-01-02, or a time such as 2026-01-02T09:30:00Z.',
    )
  return at
}

/** Milliseconds before now, or since the epoch. */
type Since = { readonly ago: number } | { readonly at: number }

/** Parses an age, a day on this machine or a time. */
export function parseSince(text: string): Since {
  const ago = readDuration(text)
  if (ago !== undefined) return { ago }
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00`) : readDateTime(text)
  if (at !== undefined && !Number.isNaN(at)) return { at }
  throw new InvalidArgumentError(
    'Use an age such as 2h or 7d, a day such as 2026-01-02, or a time such as 2026-01-02T09:30:00Z.',
  )
}

/** Returns a time in milliseconds since the epoch. */
export function sinceTime(since: Since, now: number): number {
  return 'at' in since ? since.at : now - since.ago
}

/** Parses a whole number in a range, both ends included. */
export function integerParser(minimum: number, maximum: number): FlagParser<number> {
  return flagParser({ type: 'integer', minimum, maximum }, text => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < minimum || number > maximum) {
      throw new InvalidArgumentError(`Use a whole number from ${minimum} to ${maximum}.`)
    }
    return number
  })
}

/** Label of an encoding in the WHATWG Encoding Standard. */
export function parseEncoding(text: string): string {
  if (!isEncoding(text))
    throw new InvalidArgumentError('Use an encoding such as windows-1250, gbk or shift_jis.')
  return text
}

/** A TCP port; 0 lets the system pick a free one. */
export const parsePort = integerParser(0, 65_535)

/** A whole number that any run of the sandbox can be repeated with. */
export const parseSeed = integerParser(0, Number.MAX_SAFE_INTEGER)

/** @throws InvalidArgumentError for a URL other than http or https, with a hint for one with a user */
export function parseHttpUrl(text: string, example: string, adviceForUser: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError(`Use an http or https URL such as ${example}.`)
  if (url.username !== '' || url.password !== '') throw new InvalidArgumentError(adviceForUser)
  url.hash = ''
  return url.href
}

/** 0, or how many times faster than real time: the pace of the sandbox. */
export const parsePace = flagParser({ type: 'number', minimum: 0, maximum: 1000 }, text => {
  const pace = Number(text)
  if (text.trim() === '' || !(pace === 0 || (pace >= 0.01 && pace <= 1000))) {
    throw new InvalidArgumentError(
      'Use 0 (no waiting), 1 (real time) or a factor from 0.01 to 1000, such as 4.',
    )
  }
  return pace
})

/** Collects `--fault duplicate=0.3,drop`: each fault with its probability, 0.2 by default. Repeatable. */
export function faultCollector<Name extends string>(
  names: readonly Name[],
): (text: string, collected?: FaultsOf<Name>) => FaultsOf<Name> {
  return (text, collected) => {
    const faults: Partial<Record<Name, number>> = { ...collected }
    for (const part of text.split(',')) {
      const { name, probability } = readFault(part, names)
      if (Object.hasOwn(faults, name)) throw new InvalidArgumentError(`${name} is given twice.`)
      faults[name] = probability
    }
    return faults
  }
}

type FaultsOf<Name extends string> = Readonly<Partial<Record<Name, number>>>

function readFault<Name extends string>(part: string, names: readonly Name[]) {
  const [, word = '', value] = /^\s*([^=]*?)\s*(?:=\s*(.*?)\s*)?$/.exec(part) ?? []
  const name = names.find(candidate => candidate === word)
  if (name === undefined) throw new InvalidArgumentError(unknownFault(word, names))
  const probability = value === undefined ? defaultProbability : Number(value)
  if (value === '' || !(probability >= 0 && probability <= 1)) {
    throw new InvalidArgumentError(
      `The probability of ${name} must be a number from 0 to 1, such as ${name}=0.3.`,
    )
  }
  return { name, probability }
}

function unknownFault(word: string, names: readonly string[]): string {
  const suggestion = didYouMean(word, names)
  const problem = word === '' ? 'A fault has no name.' : `There is no fault ${JSON.stringify(word)}.`
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
  return `${problem}${hint} Give some of ${names.join(', ')}, each alone or as ${names[0]}=0.3.`
}

/** Collects `--metadata order=7 --metadata tags='["a"]'`: a value that is JSON is sent as JSON, else as text. */
export function collectMetadata(
  text: string,
  collected: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const [key, value] = readPair(text)
  const parsed = parseValue(value)
  if (!nestsAtMost(parsed, maxMetadataLevels)) {
    const message = `the value of ${key} is nested deeper than ${maxMetadataLevels} levels`
    throw new CallyardError('usage', message)
  }
  return withoutRepeat(collected, key, parsed)
}

/** Collects `--var name=Ada`: always text. */
export function collectVariable(
  text: string,
  collected: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [key, value] = readPair(text)
  return withoutRepeat(collected, key, value)
}

/** A section of the lockfile: what a profile may be called. */
export function parseTargetName(text: string): string {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(text) || text in Object.prototype) {
    throw new InvalidArgumentError('Use letters, digits, dots, dashes and underscores.')
  }
  return text
}

/** Collects a flag that may be given several times. */
export function collect(text: string, collected: readonly string[] = []): string[] {
  return [...collected, text]
}

/** Collects names of environment variables. */
export function collectVariableName(text: string, collected?: readonly string[]): string[] {
  if (!/^[^\s=]+$/.test(text))
    throw new InvalidArgumentError('Use the name of a variable, without its value.')
  return collect(text, collected)
}

function withoutRepeat<Value>(
  collected: Readonly<Record<string, Value>>,
  key: string,
  value: Value,
): Record<string, Value> {
  if (Object.hasOwn(collected, key)) throw new InvalidArgumentError(`${key} is given twice.`)
  // defineProperty semantics, so that a key such as __proto__ is a plain field.
  return Object.fromEntries([...Object.entries(collected), [key, value]])
}

function readPair(text: string): readonly [string, string] {
  const pair = splitPair(text)
  if (pair === undefined) throw new InvalidArgumentError('Use key=value.')
  return pair
}

/** A whole number that JavaScript cannot hold stays text: an order's id must not become another one. */
function parseValue(text: string): unknown {
  const value = parseJson(text)
  const isRounded = /^-?\d+$/.test(text) && !Number.isSafeInteger(value)
  return value === undefined || isRounded ? text : value
}

function withUnit(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([a-z]+)$/i.exec(text.trim())
  const factor = units[match?.[2]?.toLowerCase() ?? '']
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor
}
