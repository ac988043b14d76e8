import { formatPath } from '../interface/check.ts'
import type { FieldChange } from '../project/plan/actions.ts'
import { hang, plain } from './layout.ts'
import { renderLineDiff } from './line-diff.ts'
import { shortPair } from './short-pair.ts'
import { dim, green, join, red, type Text, text, yellow } from './text.ts'

/** Columns in front of a field of a resource. */
const indent = 4
/** Columns in front of what stands below it. */
const below = indent + 2

/** One field that differs: one line where it fits, texts of several lines as their differing lines. Width in columns. */
export function renderFieldChange(change: FieldChange, width: number): Text {
  const notes = change.notes.map(note => hang(' '.repeat(below), below, `(${note})`, width, dim))
  return join([...renderValues(change, width), ...notes], '\n')
}

function renderValues({ path, kind, before, after }: FieldChange, width: number): Text[] {
  const field = formatPath(path)
  const [old, now] = [before ?? '', after ?? '']
  if (typeof old === 'string' && typeof now === 'string' && old !== now && (isLong(old) || isLong(now))) {
    const diff = renderLineDiff(old, now, { width, indent: below })
    return [signed(kind, `${field}:`, width), diff]
  }
  return [signed(kind, `${field}: ${renderPair(kind, json(before), json(after))}`, width)]
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

function signed(kind: FieldChange['kind'], words: string, width: number): Text {
  const sign = { added: green('+'), removed: red('-'), changed: yellow('~') }[kind]
  return hang(text`${' '.repeat(indent)}${sign} `, below, words.replaceAll('\n', '\\n'), width, plain)
}
