/** The text, if it has at most this many characters; else its beginning with an ellipsis. Never cuts a character in two. */
export function truncate(text: string, maxLength: number, ellipsis = '…'): string {
  // Characters of two code units at most: a text of megabytes is not taken apart.
  const characters = [...text.slice(0, 2 * maxLength + 2)]
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength).join('')}${ellipsis}`
}
