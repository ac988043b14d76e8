import { type BatchFile, defaultOptOutField } from '../../files/formats/batch.ts'
import { foldWord } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import { saysPhrase } from '../../lib/text/words.ts'

/** Phrases of people who do not want to be called again. */
const optOutPhrases = [
  ...['stop calling', 'do not call me', 'dont call me', 'never call me', 'no more calls', 'quit calling'],
  ...['take me off your list', 'take me off the list', 'take me off this list', 'remove me from your list'],
  ...['remove my number', 'take my number off', 'delete my number', 'unsubscribe me', 'lose my number'],
]

/** Words of a service for such a call. */
const optOutWords = ['opt-out', 'opted-out', 'optout', 'do-not-call', 'dnc', 'unsubscribe', 'unsubscribed']

interface EndWords {
  readonly words: readonly string[]
  readonly analysis: Readonly<Record<string, unknown>> | null
}

interface CallWords {
  readonly userLines: readonly string[]
  readonly ended: EndWords | undefined
}

/**
 * Returns the words with which a person opts out of further calls: what they said, the word of the service, or the field of the analysis.
 * Undefined if they do not.
 */
export function findOptOut(
  { userLines, ended }: CallWords,
  optOut: BatchFile['optOut'] = {},
): string | undefined {
  if (optOut === false) return undefined
  const phrases = optOut.phrases === undefined ? optOutPhrases : [...optOutPhrases, ...optOut.phrases]
  const spokenLine = userLines.find(line => saysPhrase(line, phrases))
  if (spokenLine !== undefined) return spokenLine
  const word = ended?.words.find(candidate => optOutWords.includes(foldWord(candidate)))
  if (word !== undefined) return word
  const field = optOut.field ?? defaultOptOutField
  return isYes(readField(ended?.analysis ?? {}, field)) ? `${field} is true` : undefined
}

/** Returns a field of an analysis by its path, such as `structuredData.optOut`. */
export function readField(analysis: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      analysis,
    )
}

function isYes(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^\s*(true|yes|y|1)\s*$/i.test(value))
}
