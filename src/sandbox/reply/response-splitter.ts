/** In order: more of a segment, without any of the delimiter, or the whole of it. */
export type SplitPart =
  | { readonly type: 'draft'; readonly text: string }
  | { readonly type: 'segment'; readonly text: string }

/** Splits a text while it arrives (interface.md 2.1, assistantResponseSplitter). Blank segments are none. */
interface ResponseSplitter {
  push(text: string): SplitPart[]
  /** What is left when the text is over. */
  end(): SplitPart[]
}

/** Without a delimiter all of it is one segment. */
export function createSplitter(delimiter: string | undefined): ResponseSplitter {
  let segment = ''
  /** What may be the beginning of a delimiter. */
  let held = ''
  const draft = (text: string): SplitPart[] => {
    segment += text
    return text === '' ? [] : [{ type: 'draft', text }]
  }
  const close = (): SplitPart[] => {
    const text = segment.trim()
    segment = ''
    return text === '' ? [] : [{ type: 'segment', text }]
  }
  return {
    push(text) {
      if (delimiter === undefined || delimiter === '') return draft(text)
      const pieces = (held + text).split(delimiter)
      const last = pieces.pop() ?? ''
      const kept = last.length - heldBack(last, delimiter)
      held = last.slice(kept)
      return [...pieces.flatMap(piece => [...draft(piece), ...close()]), ...draft(last.slice(0, kept))]
    },
    end() {
      const rest = draft(held)
      held = ''
      return [...rest, ...close()]
    },
  }
}

/** How many of the last characters may begin a delimiter. */
function heldBack(text: string, delimiter: string): number {
  for (let length = Math.min(text.length, delimiter.length - 1); length > 0; length--) {
    if (delimiter.startsWith(text.slice(-length))) return length
  }
  return 0
}
