const maxChunkLength = 1 << 16

/** Splits a text for work in steps, never between the halves of a surrogate pair. Chunks share the memory of the text. */
export function* chunksOf(text: string, maxLength = maxChunkLength): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + maxLength, text.length)
    if (end < text.length && end - start > 1 && isLeadSurrogate(text.charCodeAt(end - 1))) end -= 1
    yield text.slice(start, end)
    start = end
  }
}

function isLeadSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff
}
