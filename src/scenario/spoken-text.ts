/** Returns the text on one line, without control characters and lone surrogates. */
export function toSpokenText(text: string): string {
  const trimmed = text.trim()
  // Most texts are plain, and the patterns take several times as long.
  if (isPlain.test(trimmed)) return trimmed
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]+/gu, character => (character === '\u200d' ? character : ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

/** Printable ASCII without spaces at its ends and in a row. */
const isPlain = /^[!-~]+(?: [!-~]+)*$/
