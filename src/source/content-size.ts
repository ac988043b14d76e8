/**
 * Size of an FAQ file in bytes, without the ids that a push writes, so that a push cannot exceed the limit. Found in the text in
 * linear time, before parsing.
 */
export function contentBytes(text: string, format: 'yaml' | 'json' | 'csv'): number {
  let ids = 0
  for (const [found] of text.matchAll(format === 'csv' ? cell : field)) ids += Buffer.byteLength(found)
  return Buffer.byteLength(text) - ids
}

/** `id: 6650f0c2` with the newline and indentation after it, or `"id":"6650f0c2",`. */
const field = /(?<=[\s{-])"?id"?: ?["']?[\w.:-]{1,128}["']?(?:,\s*|\r?\n *)/g

/** First or last cell of a line. */
const cell = /,[\w.:-]{1,128}(?=\r?\n|$)|(?<=\n)[\w.:-]{1,128},/g
