import type { Source } from '../../files/source/index.ts'
import { chunksOf } from '../../lib/text/chunks.ts'
import { type Edit, type IdSlot, type IdSlots, type NoIdSlotReason, plainSlots } from './id-slots.ts'

/**
 * A file's text with ids to come. Places are looked for once: all edits keep to the offsets of the text as it was read. Loads
 * the strict YAML parser for files whose entries are written in another form than most are.
 */
export async function openSplice(source: Source, replaced: ReadonlySet<number> = new Set()) {
  const { slots, header, emptyCell } = await findSlots(source, replaced)
  const assigned = new Array<string | undefined>(slots.length)
  let hasAssigned = false
  const linesAbove = new Int32Array(slots.length)
  const slotOf = (index: number): IdSlot | undefined => {
    const slot = slots.at(index)
    return slot === undefined || 'reason' in slot ? undefined : slot
  }
  /** Edits in text order. */
  function* edits(): Generator<Edit> {
    if (!hasAssigned) return
    if (header !== undefined) yield header
    for (let index = 0; index < slots.length; index += 1) {
      const id = assigned[index]
      const edit = id === undefined ? emptyCell?.(index) : slotOf(index)?.edit(id)
      if (edit !== undefined) yield edit
    }
  }
  return {
    /** Why this entry of the list cannot take an id; undefined when it can. */
    refusal(index: number): NoIdSlotReason | undefined {
      const slot = slots.at(index)
      if (slot === undefined) return 'unknown'
      return 'reason' in slot ? slot.reason : undefined
    },
    /** Length of the text once these entries have ids of this length. */
    lengthWith(indexes: Iterable<number>, idLength: number) {
      const id = 'x'.repeat(idLength)
      let length = source.text.length
      for (const index of indexes) length += slotOf(index)?.edit(id).text.length ?? 0
      return length
    },
    /** Gives an entry its id. */
    assign(index: number, id: string) {
      if (slotOf(index) === undefined) throw new Error(`entry ${index} cannot take an id`)
      assigned[index] = id
      hasAssigned = true
    },
    /** Returns the number of lines that assigned ids add above each entry. Linear. */
    addedLines() {
      let addedLines = 0
      for (let index = 0; index < slots.length; index += 1) {
        linesAbove[index] = addedLines
        const id = assigned[index]
        if (id !== undefined) addedLines += (slotOf(index)?.edit(id).text.split('\n').length ?? 1) - 1
      }
      return (index: number) => linesAbove[index] ?? 0
    },
    /** Text with the assigned ids, otherwise unchanged. In chunks, to avoid a second copy of a large text. */
    chunks: () => joined(applyEdits(source.text, edits())),
  }
}

export type Splice = Awaited<ReturnType<typeof openSplice>>

interface Slots {
  readonly slots: IdSlots
  /** Header cell to add to a CSV file without an id column. */
  readonly header?: Edit
  /** Cell to add to such a file for an entry without an id. */
  emptyCell?(index: number): Edit | undefined
}

async function findSlots(source: Source, replaced: ReadonlySet<number>): Promise<Slots> {
  const { text, value, csv } = source
  if (csv !== undefined) return csvSlots(csv)
  if (value === undefined) return { slots: [] }
  const plain = replaced.size === 0 ? plainSlots(source) : undefined
  return { slots: plain ?? (await import('./splice-yaml.ts')).yamlSlots(text, replaced) }
}

/** Returns the insertion point of each CSV record: its id cell, or a new last column. */
function csvSlots({ columns, separator, size, extentsOf }: NonNullable<Source['csv']>): Slots {
  const column = columns.indexOf('id')
  /** A record may have fewer cells than the header: the missing ones are added, empty, up to the id's. */
  const at = (index: number): IdSlot | undefined => {
    if (index < 0 || index >= size) return undefined
    const { cells, end } = extentsOf(index)
    const idColumn = column === -1 ? columns.length : column
    const cell = cells[idColumn]
    if (cell !== undefined) return { edit: id => ({ ...cell, text: csvCell(id, separator) }) }
    const separators = separator.repeat(idColumn - cells.length + 1)
    return { edit: id => ({ start: end, end, text: `${separators}${csvCell(id, separator)}` }) }
  }
  const slots = { length: size, at }
  if (column !== -1) return { slots }
  const { end } = extentsOf(-1)
  return {
    slots,
    header: { start: end, end, text: `${separator}id` },
    emptyCell: index => at(index)?.edit(''),
  }
}

function csvCell(id: string, separator: string): string {
  return /["\r\n]/.test(id) || id.includes(separator) ? `"${id.replaceAll('"', '""')}"` : id
}

/** Applies edits in order of their offsets in the original text. Linear. */
function* applyEdits(original: string, edits: Iterable<Edit>): Generator<string> {
  let offset = 0
  for (const { start, end, text } of edits) {
    yield* chunksOf(original.slice(offset, start))
    yield text
    offset = end
  }
  yield* chunksOf(original.slice(offset))
}

/** Characters per chunk, about. */
const minChunkLength = 1 << 16

function* joined(pieces: Iterable<string>): Generator<string> {
  let chunk: string[] = []
  let length = 0
  for (const piece of pieces) {
    chunk.push(piece)
    length += piece.length
    if (length < minChunkLength) continue
    yield chunk.join('')
    chunk = []
    length = 0
  }
  yield chunk.join('')
}
