import { formatPath } from '../../interface/check.ts'
import { hang, plain, widthOf } from '../../lib/text/layout.ts'
import { renderLineDiff } from '../../lib/text/line-diff.ts'
import { shortPair } from '../../lib/text/short-pair.ts'
import { dim, green, join, red, type Text, text, yellow } from '../../lib/text/text.ts'
import type { FieldChange } from '../../project/index.ts'

interface ChangePlace {
  /** Columns. */
  readonly width: number
  /** Columns in front of the field; 4 is that of a field of a resource. */
  readonly indent?: number
}

/**
 * One field that differs: one line where it fits; longer texts as their differing lines, lists as the items that were
 * added and removed.
 */
export function renderFieldChange(change: FieldChange, { width, indent = 4 }: ChangePlace): Text {
  const below = indent + 2
  const notes = change.notes.map(note => hang(' '.repeat(below), below, `(${note})`, width, dim))
  return join([...renderValues(change, { width, indent }), ...notes], '\n')
}

function renderValues({ path, kind, before, after }: FieldChange, place: Required<ChangePlace>): Text[] {
  const field = formatPath(path)
  const oneLine = `${field}: ${renderPair(kind, json(before), json(after))}`
  const asLines = differingLines(before ?? '', after ?? '', widthOf(oneLine) > place.width - place.indent - 2)
  if (asLines === undefined) return [signed(kind, oneLine, place)]
  const { old, now, context } = asLines
  return [
    signed(kind, `${field}:`, place),
    renderLineDiff(old, now, { width: place.width, indent: place.indent + 2, context }),
  ]
}

/** Two values as lines that can be compared; undefined where one line says it better. */
function differingLines(
  before: unknown,
  after: unknown,
  isWide: boolean,
): { readonly old: string; readonly now: string; readonly context: number } | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, now] = [itemLines(before), itemLines(after)]
    // Items that look alike differ by what a note says.
    return old === now ? undefined : { old, now, context: 0 }
  }
  if (typeof before !== 'string' || typeof after !== 'string' || before === after) return undefined
  const long = isLong(before) || isLong(after) || (isWide && before !== '' && after !== '')
  return long ? { old: before, now: after, context: 2 } : undefined
}

function itemLines(items: readonly unknown[]): string {
  return items.map(item => json(item)).join('\n')
}

/** A line break at the end alone is no reason to show a text as lines. */
function isLong(words: string): boolean {
  return words.trimEnd().includes('\n')
}

function renderPair(kind: FieldChange['kind'], before: string, after: string): string {
  if (kind === 'added') return shortPair('', after)[1]
  if (kind === 'removed') return shortPair('', before)[1]
  if (before === after) return shortPair('', after)[1]
  return shortPair(before, after).join(' → ')
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function signed(kind: FieldChange['kind'], words: string, { width, indent }: Required<ChangePlace>): Text {
  const sign = { added: green('+'), removed: red('-'), changed: yellow('~') }[kind]
  return hang(text`${' '.repeat(indent)}${sign} `, indent + 2, words.replaceAll('\n', '\\n'), width, plain)
}
