import type { Source } from '../../source/read-source.ts'
import { applyEdits, type Edit, type FaqPlace, type NoPlace } from './edits.ts'

/** A file's text with ids to come. The file is parsed once: all edits keep to the offsets of the text as it was read. */
export interface Splice {
  /** Why this entry of the list cannot take an id; undefined when it can. */
  refusal(index: number): string | undefined
  /** Gives an entry its id. */
  assign(index: number, id: string): void
  /** How many lines the assigned ids add above an entry: a snapshot, by index. Linear. */
  addedLines(): (index: number) => number
  /** The text with all assigned ids in it and every other character as it was. */
  text(): string
}

/** Loads the YAML library for YAML and JSON files only. */
export async function openSplice(source: Source): Promise<Splice> {
  const { places, header, emptyCells = [] } = await findPlaces(source)
  const assigned = new Map<number, Edit>()
  return {
    refusal(index) {
      const place = places[index]
      if (place === undefined) return 'its place in the file cannot be told'
      return 'reason' in place ? place.reason : undefined
    },
    assign(index, id) {
      const place = places[index]
      if (place === undefined || 'reason' in place) throw new Error(`entry ${index} cannot take an id`)
      assigned.set(index, place.edit(id))
    },
    addedLines() {
      let added = 0
      const above = places.map((_, index) => {
        const before = added
        const edit = assigned.get(index)
        if (edit !== undefined) added += edit.text.split('\n').length - 1
        return before
      })
      return index => above[index] ?? 0
    },
    text() {
      if (assigned.size === 0) return source.text
      const empty = emptyCells.filter((_, index) => !assigned.has(index))
      const head = header === undefined ? [] : [header]
      return applyEdits(source.text, [...head, ...empty, ...assigned.values()])
    },
  }
}

interface Places {
  readonly places: readonly (FaqPlace | NoPlace)[]
  readonly header?: Edit
  readonly emptyCells?: readonly Edit[]
}

async function findPlaces({ text, document, csv }: Source): Promise<Places> {
  if (csv !== undefined) return (await import('./splice-csv.ts')).csvPlaces(csv)
  if (document === undefined) return { places: [] }
  return { places: (await import('./splice-yaml.ts')).yamlPlaces(text, document) }
}
