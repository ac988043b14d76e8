/** Letters and digits alone count: `Good-bye!` ends a call as `good bye` does, `goodbyes` does not. */
export function saysPhrase(line: string, phrases: readonly string[]): boolean {
  const spoken = ` ${toWords(line)} `
  return phrases.map(toWords).some(phrase => phrase !== '' && spoken.includes(` ${phrase} `))
}

function toWords(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}
