import { hang, plain } from '../../lib/text/layout.ts'
import { cyan, dim, green, type Text, text, yellow } from '../../lib/text/text.ts'
import type { Action, EntryChange } from '../../project/index.ts'
import { renderFieldChange } from './field-change.ts'

/** Columns in front of an entry. */
const indent = 4
/** Of one kind; a knowledge base may have thousands. */
const maxShown = 20
const maxQuestionLength = 120

const kinds = [
  { action: 'insert', sign: green('+'), done: 'to insert' },
  { action: 'update', sign: yellow('~'), done: 'to update' },
  { action: 'orphaned', sign: cyan('?'), done: 'orphaned' },
] as const

/** The entries of a knowledge base: how many of each kind, then the first of them by their questions. */
export function renderEntryChanges(
  { entries, unchangedEntries = 0 }: Pick<Action, 'entries' | 'unchangedEntries'>,
  width: number,
): Text[] {
  if (entries === undefined) return []
  const groups = kinds.map(kind => ({ ...kind, of: entries.filter(({ action }) => action === kind.action) }))
  const counts = [
    ...groups.filter(({ of }) => of.length > 0).map(({ of, done }) => `${of.length} ${done}`),
    ...(unchangedEntries > 0 ? [`${unchangedEntries} unchanged`] : []),
  ]
  if (counts.length === 0) return []
  const margin = ' '.repeat(indent)
  return [
    hang(margin, indent, `entries: ${counts.join(', ')}`, width, plain),
    ...groups.flatMap(({ of, sign, done }) => [
      ...of
        .slice(0, maxShown)
        .flatMap(entry => [
          hang(text`${margin}${sign} `, indent + 2, nameOf(entry), width, plain),
          ...(entry.changes ?? []).map(change => renderFieldChange(change, { width, indent: indent + 2 })),
          ...(entry.note === undefined
            ? []
            : [hang(' '.repeat(indent + 2), indent + 2, `(${entry.note})`, width, dim)]),
        ]),
      ...(of.length > maxShown
        ? [hang(text`${margin}  `, indent + 2, `and ${of.length - maxShown} more ${done}`, width, dim)]
        : []),
    ]),
  ]
}

function nameOf({ action, question, id, line }: EntryChange): string {
  const asked = question === undefined ? undefined : JSON.stringify(cut(question))
  // What no file holds any more is found by its id alone.
  const name =
    action === 'orphaned' ? [id, asked].filter(part => part !== undefined).join(' ') : (asked ?? id ?? '')
  return `${name.replaceAll('\n', '\\n')}${line === undefined ? '' : ` line ${line}`}`
}

function cut(question: string): string {
  const characters = [...question]
  return characters.length <= maxQuestionLength
    ? question
    : `${characters.slice(0, maxQuestionLength).join('')}…`
}
