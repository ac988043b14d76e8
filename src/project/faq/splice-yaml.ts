import { isAlias, isMap, isScalar, isSeq, type Pair, parseDocument, Scalar, type YAMLMap } from 'yaml'
import {
  blockSlot,
  findLineStart,
  type IdSlot,
  insertion,
  type NoIdSlot,
  newlineBefore,
  yamlString,
} from './id-slots.ts'

/**
 * Finds the place for each entry's id in a YAML or JSON file: a new first field in the entry's own style, indentation and newline, or
 * an existing `id:` that is empty or `replaced` (by index). Needs the nodes' offsets, not the source tokens.
 */
export function yamlSlots(text: string, replaced: ReadonlySet<number> = new Set()): (IdSlot | NoIdSlot)[] {
  const list = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' }).get('faq')
  if (!isSeq(list)) return []
  return list.items.map((item, index) => {
    if (isAlias(item)) return { reason: 'alias' }
    if (!isMap(item) || !item.range) return { reason: 'no-mapping' }
    const [first] = item.items
    if (first === undefined) return { reason: 'empty' }
    const present = item.items.find(({ key }) => isScalar(key) && key.value === 'id')
    const quoted = isScalar(first.key) && first.key.type === Scalar.QUOTE_DOUBLE && item.flow === true
    if (present !== undefined)
      return fill(text, present, { flow: item.flow === true, quoted, isReplaced: replaced.has(index) })
    const start = firstPair(text, item, item.range[0])
    return item.flow === true ? insertFlow(text, first, start, quoted) : blockSlot(text, start)
  })
}

interface Style {
  readonly flow: boolean
  readonly quoted: boolean
  readonly isReplaced: boolean
}

/** Returns the offset of the first field of an entry, including its anchor, tag or `?`. */
function firstPair(text: string, map: YAMLMap, mapStart: number): number {
  if (map.flow === true) return skipSpaceAndComments(text, mapStart + 1)
  const lineStart = findLineStart(text, mapStart)
  // A block mapping begins at its first key, whose anchor or tag precedes it on the same line.
  const properties = text.slice(lineStart, mapStart).search(/[&!]/)
  return properties === -1 ? mapStart : lineStart + properties
}

function skipSpaceAndComments(text: string, from: number): number {
  const skip = /(?:\s|#[^\n]*)*/y
  skip.lastIndex = from
  skip.test(text)
  return skip.lastIndex
}

function insertFlow(text: string, { key }: Pair, start: number, quoted: boolean): IdSlot {
  const lineStart = indentStart(text, start)
  const space = quoted && isDense(text, key) ? '' : ' '
  const field = (id: string) => (quoted ? `"id":${space}${JSON.stringify(id)},` : `id: ${yamlString(id)},`)
  const gap =
    lineStart === undefined ? space : `${newlineBefore(text, lineStart)}${text.slice(lineStart, start)}`
  return insertion(start, id => `${field(id)}${gap}`)
}

/** Start of the line if only blanks precede the offset in it. Never searches the whole line: compact JSON is one long line. */
function indentStart(text: string, offset: number): number | undefined {
  let start = offset
  while (/[^\S\n]/.test(text[start - 1] ?? '\n')) start -= 1
  return start === 0 || text[start - 1] === '\n' ? start : undefined
}

/** `{"question":"a"}`: no space after the colon, so none is brought in. */
function isDense(text: string, key: unknown): boolean {
  return isScalar(key) && !!key.range && /:\S/.test(text.slice(key.range[1], key.range[1] + 2))
}

/** Fills an existing `id` field: replaces null, empty quotes, nothing or an old id. */
function fill(text: string, { key, value }: Pair, style: Style): IdSlot | NoIdSlot {
  if (value === null) {
    if (!style.flow || !isScalar(key) || !key.range) return { reason: 'id-form' }
    return insertion(key.range[1], id => `: ${write(id, style)}`)
  }
  if (!isScalar(value) || !value.range || value.anchor !== undefined || value.tag !== undefined)
    return { reason: 'id-alias' }
  const [start, end] = value.range
  const currentText = text.slice(start, end)
  if (currentText === '') return fillNothing(text, start, style)
  const isBlock = value.type === Scalar.BLOCK_FOLDED || value.type === Scalar.BLOCK_LITERAL
  if (style.isReplaced ? isBlock : !/^(?:~|null|""|'')$/i.test(currentText)) return { reason: 'id-reference' }
  const quoted = style.quoted || currentText.startsWith('"')
  return { edit: id => ({ start, end, text: write(id, { ...style, quoted }) }) }
}

/** Fills an empty `id:`: the value follows the colon, with a space if a comment follows. */
function fillNothing(text: string, start: number, style: Style): IdSlot {
  const afterColon = text.slice(0, start).trimEnd().length
  const dense = style.quoted && text[afterColon] !== ' '
  return insertion(afterColon, id => `${dense ? '' : ' '}${write(id, style)}`)
}

function write(id: string, { quoted }: Style): string {
  return quoted ? JSON.stringify(id) : yamlString(id)
}
