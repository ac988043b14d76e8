/** Characters. A whole text is in the body of its event. */
export const maxTextLength = 20_000
export const maxFactLength = 200

/** Cuts a text after a number of UTF-16 code units, never between the two halves of a character. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const splits = /[\ud800-\udbff]/.test(text.charAt(longest - 1))
  return text.slice(0, splits ? longest - 1 : longest)
}
