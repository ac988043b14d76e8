import type { Source } from '../../files/source/index.ts'
import { isObject } from '../../lib/json.ts'

/** Replaces the text from `start` to `end` (offsets in UTF-16 code units) with `text`. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Insertion point of an id. Kept so that a file is parsed only once. */
export interface IdSlot {
  /** The edit that puts this id there. */
  edit(id: string): Edit
}

/** Why an entry of a file cannot take an id: the id field may have an unsupported form, an alias, anchor or tag, or an unresolved reference. */
export type NoIdSlotReason =
  | 'unknown'
  | 'alias'
  | 'no-mapping'
  | 'empty'
  | 'id-form'
  | 'id-alias'
  | 'id-reference'

/** Reason why an entry cannot take an id. */
export interface NoIdSlot {
  readonly reason: NoIdSlotReason
}

/** Insertion points of a list of entries, by index. Created lazily, because a large file has many. */
export interface IdSlots {
  readonly length: number
  at(index: number): IdSlot | NoIdSlot | undefined
}

/**
 * The same as the strict parser finds, for a file whose entries all are block mappings that begin with a plain key, and
 * have a filled id field or none; undefined for any other.
 */
export function plainSlots({ text, value, offsetOf }: Source): IdSlots | undefined {
  const list = isObject(value) ? value.faq : undefined
  if (!Array.isArray(list)) return undefined
  const listStart = offsetOf(['faq'], 'value')
  if (listStart === undefined || text[listStart] !== '-') return undefined
  const starts = new Int32Array(list.length)
  for (const [index, entry] of list.entries()) {
    const start = offsetOf(['faq', index], 'value')
    if (start === undefined || !isObject(entry)) return undefined
    if (!isPlainStart(text, start)) return undefined
    if (Object.hasOwn(entry, 'id') && !isFilled(entry.id)) return undefined
    starts[index] = Object.hasOwn(entry, 'id') ? filled : start
  }
  return {
    length: starts.length,
    at(index) {
      const start = starts[index]
      if (start === undefined) return undefined
      return start === filled ? { reason: 'id-reference' } : blockSlot(text, start)
    },
  }
}

/** In place of an offset: the entry has an id. */
const filled = -1

function isFilled(id: unknown): boolean {
  return typeof id === 'string' && id !== '' && !id.includes('${')
}

/** `- question:` with nothing but the dash, or spaces, in front of the key. */
function isPlainStart(text: string, start: number): boolean {
  if (!/^[A-Za-z]\w*:(?=[ \r\n])/.test(text.slice(start, start + maxKeyLength))) return false
  return /^ *(?:- +)?$/.test(text.slice(findLineStart(text, start), start))
}

/** Longer than any key of an entry. */
const maxKeyLength = 40

/** A first field in a line of its own. */
export function blockSlot(text: string, start: number): IdSlot {
  const lineStart = findLineStart(text, start)
  return insertion(start, id => {
    // The indentation is as wide as the dash and everything else before the first key.
    const indent = text.slice(lineStart, start).replace(/\S/g, ' ')
    return `id: ${yamlString(id)}${newlineBefore(text, lineStart)}${indent}`
  })
}

export function insertion(at: number, write: (id: string) => string): IdSlot {
  return { edit: (id): Edit => ({ start: at, end: at, text: write(id) }) }
}

/** Formats an id as YAML that every reader parses as the same string: plain if certain, else double-quoted. */
export function yamlString(id: string): string {
  const plain = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(id) && !looksTyped.test(id)
  return plain ? id : JSON.stringify(id)
}

/** Numbers, dates, booleans and null, in YAML 1.2 and in the 1.1 that other tools read. */
const looksTyped =
  /^(?:[\d_]*(?:e-?[\d_]+)?|0[xob][\da-f_]*|\d{4}-\d{1,2}-\d.*|y|n|yes|no|on|off|true|false|null)$/i

export function findLineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset) + 1
}

/** The newline that ends the line before. */
export function newlineBefore(text: string, lineStart: number): string {
  return text[lineStart - 2] === '\r' ? '\r\n' : '\n'
}
