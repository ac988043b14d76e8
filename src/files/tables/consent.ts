import { lazy } from '../../lib/lazy.ts'
import { type ConsentWord, consentWords, neverCall, polite } from './consent-words.ts'
import { dayMs, readDayDigits, readDays } from './dates.ts'
import { foldWords, oneScript } from './letters.ts'

/** Content of a cell that says yes or no. */
export type ConsentAnswer = 'yes' | 'no' | 'empty' | 'unclear'

/** Facts about a cell beside its text. */
export interface ConsentCell {
  /** Milliseconds since the epoch. Nobody has consented on a later day. */
  readonly now: number
  /** True if the heading of its column names a date: digits may be one, and `n/a` means that there is none. */
  readonly isDate: boolean
  /** True if its column has reasons why people must not be called, so that any text is one. Default: false. */
  readonly isReason?: boolean
}

const refusals = ['refused', 'ended'] as const

/** Reads a cell of a column that says whether a person consents to calls: yes or no, a date, or a reason that begins with such a word. */
export function readConsent(cell: string, { now, isDate }: ConsentCell): ConsentAnswer {
  const { isBlank, isDoubtful, days, whole, head, startsWith, has } = inspect(cell, isDate)
  if (isBlank) return 'empty'
  if (isDoubtful) return 'unclear'
  if (whole('yes', 'given', 'allowed')) return 'yes'
  // It may be tomorrow already where the list is from.
  if (days().some(day => day >= firstDay && day <= now + dayMs)) return 'yes'
  if (whole('no', ...refusals)) return 'no'
  const isYes = head('yes') || startsWith('given') || startsWith('allowed')
  if (has('no', ...refusals)) return isYes ? 'unclear' : 'no'
  return isYes && !has('unsure') ? 'yes' : 'unclear'
}

/** Reads a cell of a column that says whether a person must not be called: yes, no, a mark, a date, or a word such as `opted out`. */
export function readDoNotCall(cell: string, { isDate, isReason = false }: ConsentCell): ConsentAnswer {
  const { isBlank, isDoubtful, days, hasDate, isCross, whole, head, has } = inspect(cell, isDate || isReason)
  if (isBlank) return 'empty'
  if (isReason) return whole('no') ? 'no' : 'yes'
  if (isDoubtful) return 'unclear'
  if (whole('no', 'allowed')) return 'no'
  if (isCross || head('yes', ...refusals) || days().length > 0) return 'yes'
  return (has(...refusals) || hasDate) && !has('no', 'unsure') ? 'yes' : 'unclear'
}

/** True for a cell of a column with the status of people that says that a person must not be called, such as `blocked`. */
export function isRefusedStatus(cell: string): boolean {
  return inspect(cell, false).whole('refused')
}

/** True for a cell that says by itself, whatever its heading is, that a person must not be called. */
export function forbidsCalls(cell: string): boolean {
  if (cell.length >= maxPhrase) return false
  return folded(cell)
    .split(betweenPhrases)
    .some(part => neverCall().test(part.replace(outerMarks, '')))
}

const maxPhrase = 200
const betweenPhrases = /[,.;:!|/\n([\u2013\u2014]| - /
const outerMarks = /^[\s*_~"')\]]+|[\s*_~"')\]]+$/g

/** A text without accents and repeated spaces, with one kind of apostrophe and hyphens as spaces. */
function folded(cell: string): string {
  const plain = oneScript(cell)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .replaceAll(/[´`‘’]/g, "'")
  return plain.replaceAll(/[^\S\n]+/g, ' ').replaceAll(/(?<=\p{L})[-_](?=\p{L})/gu, ' ')
}

/** Cells that programs write for a missing value, and dashes. */
const blank = /^(?:[-\u2013\u2014]*|null|nan)$/i

/** A cell of a column of dates that says that there is none. */
const none = /^n\.?\s?\/?\s?a\.?$/i

const date =
  /(?<!\d)(?:\d{4}-\d\d?-\d\d?|\d{1,2}([./-])\d{1,2}\1\d{4}|\d{1,2}\.\d{1,2}\.\d\d|\d{4}([./])\d\d?\2\d\d?)(?!\d)/

/** Programs write a missing date as one of 1970 or before. */
const firstDay = Date.UTC(1990, 0, 1)

function inspect(cell: string, isDate: boolean) {
  const text = cell.replaceAll('\ufe0f', '').trim()
  const plain = foldWords(text)
  // A program writes 1.0 for a 1 in a column with empty cells.
  const wholeKey = /^([01])[.,]0+$/.exec(text)?.[1] ?? (plain || text)
  const [beginning = ''] = text.split(/[^\p{L}\p{M}\s'’]/u)
  const start = foldWords(beginning)
  const startKey = start.replace(polite, '')
  const padded = ` ${plain} `
  const isIn = (key: string, kinds: readonly ConsentWord[]) => kinds.some(kind => words()[kind].has(key))
  return {
    isBlank: blank.test(text) || (isDate && none.test(text)),
    isDoubtful: /[?？]/.test(text),
    /** Days that the cell may mean, if it is a date. */
    days: () => [...readDays(text), ...(isDate ? readDayDigits(text.replace(/[.,]\d+$/, '')) : [])],
    hasDate: date.test(text),
    isCross: /^x$/i.test(text),
    /** True if the cell is one of these words. */
    whole: (...kinds: ConsentWord[]) => isIn(wholeKey, kinds),
    /** True if the cell is one of these words, or begins with it and punctuation. */
    head: (...kinds: ConsentWord[]) => isIn(wholeKey, kinds) || isIn(start, kinds) || isIn(startKey, kinds),
    startsWith: (kind: ConsentWord) => [...words()[kind]].some(word => padded.startsWith(` ${word} `)),
    has: (...kinds: ConsentWord[]) =>
      kinds.some(kind => [...words()[kind]].some(word => word.length > 1 && padded.includes(` ${word} `))),
  }
}

/** Words, or a mark such as ✓. */
const keyOf = (text: string) => foldWords(text) || text

const words = lazy(() => {
  const setOf = (kind: ConsentWord) =>
    new Set(
      Object.values(consentWords[kind])
        .join(',')
        .split(',')
        .map(word => keyOf(word.trim())),
    )
  return {
    ...{ yes: setOf('yes'), no: setOf('no'), given: setOf('given'), allowed: setOf('allowed') },
    ...{ refused: setOf('refused'), ended: setOf('ended') },
    unsure: setOf('unsure'),
  } satisfies Record<ConsentWord, ReadonlySet<string>>
})
