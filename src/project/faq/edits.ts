/** A change to a text: what stands from `start` to `end` (offsets in UTF-16 code units) gives way to `text`. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Where an id goes in a text, kept so that a file is parsed once however often it is written. */
export interface FaqPlace {
  /** The edit that puts this id there. */
  edit(id: string): Edit
}

/** Why an entry cannot take an id. */
export interface NoPlace {
  readonly reason: string
}

/** All edits at once, each by its offset in the original text; every other character stays as it is. Linear. */
export function applyEdits(original: string, edits: readonly Edit[]): string {
  const pieces: string[] = []
  let done = 0
  for (const { start, end, text } of edits.toSorted((one, other) => one.start - other.start)) {
    pieces.push(original.slice(done, start), text)
    done = end
  }
  pieces.push(original.slice(done))
  return pieces.join('')
}
