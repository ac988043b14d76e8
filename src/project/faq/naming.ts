import type { FaqEntry } from './entries.ts'
import type { UnknownEntry } from './push-failures.ts'
import type { OpenEntry } from './recover.ts'
import type { SplicedFile } from './splice.ts'

interface Lines {
  readonly spliced: Pick<SplicedFile, 'addedLines'>
}

/** Where an entry stands in the file as it is now, with the ids that were written above it. */
export function lines({ spliced }: Lines): (entry: FaqEntry) => number | undefined {
  const added = spliced.addedLines()
  return ({ index, position }) => (position === undefined ? undefined : position.line + added(index))
}

/** How an entry is named to a person. */
export function naming(where: Lines): (entry: FaqEntry) => UnknownEntry {
  const lineOf = lines(where)
  return entry => ({ line: lineOf(entry), question: entry.label })
}

/** How an entry of an unfinished batch is named; it may have left the file since. */
export function namer(where: Lines): (open: OpenEntry) => UnknownEntry {
  const name = naming(where)
  return ({ entry, pending: { line, id } }) =>
    entry === undefined ? { line, question: undefined, id } : { ...name(entry), id }
}
