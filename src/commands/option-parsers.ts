import { InvalidArgumentError } from 'commander'

const durations: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }
const sizes: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }
/** The longest delay a Node timer can hold; a longer one would fire at once. */
const longestDelay = 2_147_483_647

/** `30s`, `500ms`, `2m` → milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = withUnit(text, durations)
  if (milliseconds === undefined || milliseconds <= 0 || milliseconds > longestDelay) {
    throw new InvalidArgumentError('Give a duration such as 500ms, 30s or 2m.')
  }
  return Math.ceil(milliseconds)
}

/** `10mb`, `512kb` → bytes. */
export function parseSize(text: string): number {
  const bytes = withUnit(text, sizes)
  if (bytes === undefined || bytes < 1) throw new InvalidArgumentError('Give a size such as 512kb or 10mb.')
  return Math.floor(bytes)
}

/** A TCP port; 0 lets the system pick a free one. */
export function parsePort(text: string): number {
  return parseInteger(text, 0, 65_535)
}

/** A whole number in a range, both ends included. */
export function parseInteger(text: string, lowest: number, highest: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < lowest || number > highest) {
    throw new InvalidArgumentError(`Give a whole number from ${lowest} to ${highest}.`)
  }
  return number
}

/** A number that is not negative: the pace of the sandbox. */
export function parsePace(text: string): number {
  const pace = Number(text)
  if (text.trim() === '' || !Number.isFinite(pace) || pace < 0) {
    throw new InvalidArgumentError('Give 0 (no waiting), 1 (real time) or a factor such as 4.')
  }
  return pace
}

/** Collects `--metadata order=7 --metadata tags='["a"]'`: a value that is JSON is sent as JSON, else as text. */
export function collectMetadata(
  text: string,
  collected: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const [key, value] = splitPair(text)
  return withoutRepeat(collected, key, parseJson(value))
}

/** Collects `--var name=Ada`: always text. */
export function collectVariable(
  text: string,
  collected: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [key, value] = splitPair(text)
  return withoutRepeat(collected, key, value)
}

/** Collects a flag that may be given several times. */
export function collect(text: string, collected: readonly string[] = []): string[] {
  return [...collected, text]
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

function splitPair(text: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Give it as key=value.')
  return [text.slice(0, equals), text.slice(equals + 1)]
}

/** A whole number that JavaScript cannot hold stays text: an order's id must not become another one. */
function parseJson(text: string): unknown {
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function withUnit(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([a-z]+)$/i.exec(text.trim())
  const factor = units[match?.[2]?.toLowerCase() ?? '']
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor
}
