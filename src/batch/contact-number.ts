import type { CountryCode } from 'libphonenumber-js'

/** Problems of the number of a person. */
export type NumberProblem = 'missing-number' | 'spreadsheet-number' | 'lost-plus' | 'invalid-number'

export type ContactNumber =
  /** In E.164 form. `lostZero`: the leading zero of a national number is missing. */
  { readonly number: string; readonly lostZero?: true } | { readonly problem: NumberProblem }

/** `1.2E+10`: how a spreadsheet shows a long number, with digits lost. */
const scientific = /^\d+([.,]\d+)?E\+?\d+$/i

/** Apostrophe by which a spreadsheet marks a cell as text. */
const textMark = /^'(?=[+\d(])/

/** Digits enough for a country code and a number. */
const withCountryCode = /^\d{11,15}$/

/**
 * Returns a function that reads the numbers of a list. Without a country code they are numbers of `defaultCountry`; the country is
 * never guessed.
 */
export async function contactNumberReader(
  defaultCountry: string | undefined,
): Promise<(text: string) => ContactNumber> {
  const { default: parse, isSupportedCountry } = await import('libphonenumber-js')
  const country: CountryCode | undefined =
    defaultCountry !== undefined && isSupportedCountry(defaultCountry) ? defaultCountry : undefined
  const read = (text: string) => {
    const parsed = parse(text, { extract: false, ...(country !== undefined && { defaultCountry: country }) })
    return parsed?.isPossible() === true && parsed.ext === undefined ? parsed : undefined
  }
  return written => {
    const text = written.trim().replace(textMark, '')
    if (text === '') return { problem: 'missing-number' }
    if (scientific.test(text)) return { problem: 'spreadsheet-number' }
    const parsed = read(text)
    if (parsed === undefined)
      return {
        problem:
          withCountryCode.test(text) && read(`+${text}`) !== undefined ? 'lost-plus' : 'invalid-number',
      }
    const { number } = parsed
    const lacksPrefix = !text.startsWith('+') && digitsOf(text) === parsed.nationalNumber
    // People write the number as it is formatted, with its zero.
    const lostZero = lacksPrefix && digitsOf(parsed.formatNational()).startsWith('0')
    return lostZero ? { number, lostZero } : { number }
  }
}

/** True for the code of a country whose numbers can be read. */
export async function isCountry(code: string): Promise<boolean> {
  const { isSupportedCountry } = await import('libphonenumber-js')
  return isSupportedCountry(code)
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}
