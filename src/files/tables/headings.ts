import { lazy } from '../../lib/lazy.ts'
import { consentWords, doubleNegation } from './consent-words.ts'
import { besideConsent, besideReason, type HeadingUse, headingWords } from './heading-words.ts'
import { foldWords, plainLettersOf } from './letters.ts'

/** `Phone Number`, `phone_number`, `phoneNumber` and `Phone number:` are the same heading. Empty for one without a letter or digit. */
export function foldHeading(heading: string): string {
  return plainLettersOf(heading).replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Returns what a column with this heading contains: several uses for a heading with several readings, none for an unknown one. */
export function usesOfHeading(heading: string): readonly HeadingUse[] {
  const folded = foldHeading(heading)
  // `Phone 1 - Value`, `Mobile 2`; more digits may be a phone number.
  const numbered = /^(.*\D)\d{1,2}(?:value)?$/.exec(folded)?.[1]
  const isPhone = numbered !== undefined && uses().get(numbered)?.includes('phone') === true
  const headingUses = uses().get(folded) ?? (isPhone ? ['phone'] : [])
  return headingUses.length > 0 ? headingUses : consentUsesOf(heading)
}

/** Returns the use of a known heading about consent with words beside it: `Is opted out (Y/N)`, `Consent: Phone`, `TPS/DNC`, `DNC 2`. */
function consentUsesOf(heading: string): readonly HeadingUse[] {
  const question = questionOf(heading).replaceAll(' ', '')
  const { consents, refusals, allRefusals, beside, besideOrReason } = consentTerms()
  const isConsent = consistsOf(question, consents, beside)
  const isRefusal =
    consistsOf(question, allRefusals, beside) || consistsOf(question, refusals, besideOrReason)
  return isConsent === isRefusal ? [] : [isConsent ? 'consent' : 'doNotCall']
}

/** True for a heading of reasons why people must not be called: `DNC reason`. An objection may have another reason. */
export function isAboutReason(heading: string): boolean {
  const question = questionOf(heading).replaceAll(' ', '')
  const { refusals, allRefusals, beside, besideOrReason } = consentTerms()
  return (
    !/object/.test(question) &&
    consistsOf(question, refusals, besideOrReason) &&
    !consistsOf(question, allRefusals, beside)
  )
}

const consentTerms = lazy(() => {
  const foldedWords = (words: Readonly<Record<string, string>>) =>
    Object.values(words).join(',').split(',').map(foldHeading)
  const numbers = Array.from({ length: 99 }, (_, index) => String(index + 1))
  const [refusals, beside] = [
    foldedWords(headingWords.doNotCall),
    [...foldedWords(besideConsent), ...numbers],
  ]
  // A double negation, such as `Not allowed: no`, is left to a person.
  const cells = foldedWords(consentWords.refused).filter(word => !doubleNegation.test(word))
  return {
    consents: new Set(foldedWords(headingWords.consent)),
    refusals: new Set(refusals),
    allRefusals: new Set([...refusals, ...cells]),
    beside: new Set(beside),
    besideOrReason: new Set([...beside, ...foldedWords(besideReason)]),
  }
})

const maxConsentHeading = 80

/** True for a text that consists of some of the words, and of others between them. */
function consistsOf(text: string, words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  if (text.length > maxConsentHeading) return false
  /** Ends of beginnings that consist of others only, and of those with a word. */
  const [plain, complete] = [new Set([0]), new Set<number>()]
  for (let start = 0; start < text.length; start += 1)
    for (let end = start + 1; end <= text.length && (plain.has(start) || complete.has(start)); end += 1) {
      const part = text.slice(start, end)
      if (words.has(part)) complete.add(end)
      if (!others.has(part)) continue
      if (plain.has(start)) plain.add(end)
      if (complete.has(start)) complete.add(end)
    }
  return complete.has(text.length)
}

/**
 * Returns the words of a heading without what CRM programs put around a name, such as `hs_` and `__c`, and without those that make a yes
 * or no of it: `Opt-out? [yes/no]`, `Do not call (1 = yes)`.
 */
export function questionOf(heading: string): string {
  const name = heading
    .replace(/^\w+?__(?=\w+__p?c$)|^(?:hs|sf|crm|cf|udf|custom|new|cr[\da-f]{3,5})_/i, '')
    .replace(/_p?c$/i, '')
  return foldWords(name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).replace(
    / (?:(?:yes|y|ja|j|true|t|oui|o|si|s) (?:no|n|nein|non|false|f)|1 0|0 1|[1xyj] (?:yes|true|ja|oui|si)(?: [0n] (?:no|false|nein|non))?)$/,
    '',
  )
}

const uses = lazy(() => {
  const byHeading = new Map<string, HeadingUse[]>()
  for (const use of Object.keys(headingWords) as HeadingUse[])
    for (const words of Object.values(headingWords[use]).join(',').split(',')) {
      const folded = foldHeading(words)
      const headingUses = byHeading.get(folded) ?? []
      if (!headingUses.includes(use)) byHeading.set(folded, [...headingUses, use])
    }
  return byHeading
})

/** Finds the column that a name means in another spelling: `first_day` is `First Day`, unless another one is called so. */
export function findColumn(name: string, columns: readonly string[]): string | undefined {
  if (columns.includes(name)) return name
  const like = columns.filter(column => column !== '' && foldHeading(column) === foldHeading(name))
  return like.length === 1 ? like[0] : undefined
}

/** Finds the header below lines with a title, by its cells. */
export function findHeaderRow(
  rows: { readonly length: number; at(row: number): { readonly cells: readonly string[] } | undefined },
  isHeader: (cells: readonly string[]) => boolean,
): number | undefined {
  for (let row = 0; row < Math.min(rows.length, maxTitleRows); row += 1) {
    // A title has no separators that would tell which one the table has.
    if (isHeader(rows.at(row)?.cells.flatMap(cell => cell.split(/[,;\t|]/)) ?? [])) return row
  }
  return undefined
}

const maxTitleRows = 10
