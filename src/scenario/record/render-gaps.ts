import { Document, isMap, isSeq } from 'yaml'
import { escaped } from './draft-test.ts'

/** An entry to be written, and what a person has to know of it: a line each. */
export interface DraftedEntry {
  readonly question: string
  readonly notes: readonly string[]
}

/** A draft of entries of a knowledge base, YAML: their answers are empty. */
export function renderGaps(entries: readonly DraftedEntry[], notes: readonly string[]): string {
  const document = new Document({
    faq: entries.map(({ question }) => ({ question: escaped(question), answer: '' })),
  })
  const list = document.get('faq')
  if (isSeq(list))
    for (const [index, { notes: ofEntry }] of entries.entries()) {
      const item = list.items[index]
      if (isMap(item)) item.commentBefore = ofEntry.map(note => ` ${note}`).join('\n')
    }
  document.commentBefore = notes.map(note => ` ${note}`).join('\n')
  return `${document.toString({ lineWidth: 0 }).trimEnd()}\n`
}
