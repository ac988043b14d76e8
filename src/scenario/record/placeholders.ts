import { normalize } from '../expect/text.ts'

/** Creates placeholders for personal data; equal values get the same number. */
export function createPlaceholders() {
  const placeholderByKey = new Map<string, string>()
  const counts = new Map<string, number>()
  const ends = new Map<string, string>()
  const usedNames = new Set<string>()

  const allocate = (kind: string, key: string, make: (count: number) => string): string => {
    const existing = placeholderByKey.get(`${kind} ${key}`)
    if (existing !== undefined) return existing
    let count = counts.get(kind) ?? 0
    let placeholder: string
    do placeholder = make(count++)
    while (usedNames.has(foldName(placeholder)) || usedNames.has(extractDigits(placeholder)))
    counts.set(kind, count)
    placeholderByKey.set(`${kind} ${key}`, placeholder)
    return placeholder
  }
  return {
    name: (text: string) =>
      allocate('name', foldName(text).replace(/[ -]/g, ''), count => `Person${count + 1}`),
    email: (text: string) => allocate('email', foldName(text), count => `person${count + 1}@example.com`),
    uuid: (text: string) =>
      allocate(
        'uuid',
        foldName(text),
        count => `00000000-0000-4000-8000-${String(count + 1).padStart(12, '0')}`,
      ),
    iban: (text: string) =>
      allocate(
        'iban',
        foldName(text).replaceAll(' ', ''),
        count => `XX00${String(count + 1).padStart(12, '0')}`,
      ),
    /** Replaces a phone number with one reserved for examples, any other number with one of equal length. */
    number(text: string): string {
      const digits = extractDigits(text)
      const isPhone = /^\s*[+(]/.test(text) || (digits.length >= 9 && digits.length <= 12)
      const digitsPlaceholder = isPhone
        ? // Ignores the country code, so that both spellings are one phone.
          allocate('phone', digits.slice(-9), toExamplePhone)
        : allocate(
            `number ${digits.length}`,
            digits,
            count => `9${String(count + 1).padStart(digits.length - 1, '0')}`,
          )
      ends.set(digits.slice(-4), extractDigits(digitsPlaceholder).slice(-4))
      return digitsPlaceholder
    },
    /** Returns the last four digits of the placeholder for a number with these last four digits. */
    lastDigitsFor: (digits: string) => ends.get(digits),
    /** Reserves the words and numbers of a text, so that no placeholder equals one. */
    reserve(text: string): void {
      for (const word of text.match(/[\p{L}\p{N}@.+-]*[\p{L}\p{N}]/gu) ?? []) usedNames.add(foldName(word))
      const digits = extractDigits(text)
      if (digits !== '') usedNames.add(digits)
    },
  }
}

/** Returns a number reserved for examples, +1 202 555 0100 to 0199, or an invalid one once those are used up. */
function toExamplePhone(count: number): string {
  return count < 100
    ? `+120255501${String(count).padStart(2, '0')}`
    : `+1000${String(count).padStart(7, '0')}`
}

export function extractDigits(text: string): string {
  return text.replace(/\D/g, '')
}

export function foldName(text: string): string {
  return normalize(text, 'NFKC').toLowerCase()
}
