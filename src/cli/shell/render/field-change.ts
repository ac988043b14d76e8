import { formatFieldPath } from '../../../interface/check.ts'
import { countsText } from '../../../lib/text/count.ts'
import { hang, plain, widthOf } from '../../../lib/text/layout.ts'
import { isSmallPair, renderLineDiff } from '../../../lib/text/line-diff.ts'
import { cyan, dim, green, indented, join, red, type Text, text, yellow } from '../../../lib/text/text.ts'
import { truncate } from '../../../lib/text/truncate.ts'
import type { ActionDocument } from '../../../project/plan/index.ts'
import type { EntryChange, FieldChange } from '../../../project/plan/plan-schema.ts'

interface ChangeLayout {
  /** Columns. */
  readonly width: number
  /** Columns in front of the field; 4 is that of a field of a resource. */
  readonly indent?: number
}

/**
 * One field that differs: one line where it fits; longer texts as their differing lines, lists as the items that were
 * added and removed.
 */
export function renderFieldChange(change: FieldChange, { width, indent = 4 }: ChangeLayout): Text {
  const below = indent + 2
  const notes = change.notes.map(note => indented(' '.repeat(below), below, `(${note})`, dim))
  return join([...renderValues(change, { width, indent }), ...notes])
}

function renderValues({ path, kind, before, after }: FieldChange, layout: Required<ChangeLayout>): Text[] {
  const field = formatFieldPath(path)
  const oneLine = `${field}: ${renderPair(kind, json(before), json(after))}`
  const lines = differingLines(before ?? '', after ?? '', widthOf(oneLine) > layout.width - layout.indent - 2)
  if (lines === undefined) return [signed(kind, oneLine, layout)]
  const { old, now, context } = lines
  const diff = renderLineDiff(old, now, { width: layout.width, indent: layout.indent + 2, context })
  return [signed(kind, `${field}:`, layout), diff]
}

/** Two values as lines that can be compared; undefined where one line says it better. */
function differingLines(before: unknown, after: unknown, isWide: boolean) {
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

/** A trailing line break alone does not make a text multi-line. */
function isLong(words: string): boolean {
  return words.trimEnd().includes('\n')
}

function renderPair(kind: FieldChange['kind'], before: string, after: string): string {
  if (kind === 'changed' && before !== after) return isSmallPair(before, after).join(' → ')
  return isSmallPair('', kind === 'removed' ? before : after)[1]
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function signed(kind: FieldChange['kind'], words: string, { width, indent }: Required<ChangeLayout>): Text {
  const sign = { added: green('+'), removed: red('-'), changed: yellow('~') }[kind]
  return hang(text`${' '.repeat(indent)}${sign} `, indent + 2, words.replaceAll('\n', '\\n'), width, plain)
}

/** Columns in front of an entry. */
const indent = 4
/** Maximum of one kind; a knowledge base may have thousands. */
const maxShown = 20
const maxQuestionLength = 120

const kinds = [
  { action: 'insert', sign: green('+'), done: 'to insert' },
  { action: 'update', sign: yellow('~'), done: 'to update' },
  { action: 'orphaned', sign: cyan('?'), done: 'orphaned' },
] as const

/** The entries of a knowledge base: how many of each kind, then the first of them by their questions. */
export function renderEntryChanges({ entries, unchangedEntries = 0 }: ActionDocument, width: number): Text[] {
  if (entries === undefined) return []
  const groups = kinds.map(kind => ({ ...kind, of: entries.filter(({ action }) => action === kind.action) }))
  const counts = countsText([
    ...groups.map(({ of, done }) => [of.length, done] as const),
    [unchangedEntries, 'unchanged'],
  ])
  if (counts === '') return []
  const margin = ' '.repeat(indent)
  return [
    indented(margin, indent, `entries: ${counts}`),
    ...groups.flatMap(({ of, sign, done }) => [
      ...of
        .slice(0, maxShown)
        .flatMap(entry => [
          hang(text`${margin}${sign} `, indent + 2, nameOf(entry), width, plain),
          ...(entry.changes ?? []).map(change => renderFieldChange(change, { width, indent: indent + 2 })),
          ...(entry.note === undefined
            ? []
            : [indented(' '.repeat(indent + 2), indent + 2, `(${entry.note})`, dim)]),
        ]),
      ...(of.length > maxShown
        ? [indented(text`${margin}  `, indent + 2, `and ${of.length - maxShown} more ${done}`, dim)]
        : []),
    ]),
  ]
}

function nameOf({ action, question, id, line }: EntryChange): string {
  const quotedQuestion =
    question === undefined ? undefined : JSON.stringify(truncate(question, maxQuestionLength))
  // Entries that no file contains are identified only by id.
  const name =
    action === 'orphaned'
      ? [id, quotedQuestion].filter(part => part !== undefined).join(' ')
      : (quotedQuestion ?? id ?? '')
  return `${name.replaceAll('\n', '\\n')}${line === undefined ? '' : ` line ${line}`}`
}
