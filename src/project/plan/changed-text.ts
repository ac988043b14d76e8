import { isDeepStrictEqual } from 'node:util'
import { segmentsOf } from '../../source/template.ts'
import type { EntryText, FaqEntry } from '../faq/entries.ts'
import { unknownContent } from '../faq/ledger.ts'
import { textOf } from '../lockfile/entry-texts.ts'
import type { LedgerView } from '../lockfile/kb-ledger.ts'
import type { Recorded } from '../lockfile/lockfile.ts'
import type { EntryChange, FieldChange } from './actions.ts'

/** How an entry that is updated differs from what was sent last, as far as the lockfile has its text. Pure. */
export function changedText(
  { key, id, text: after }: FaqEntry,
  ledger: Pick<LedgerView, 'pushed'>,
  recorded: Recorded | undefined,
): Pick<EntryChange, 'changes' | 'note'> {
  const known = key ?? id
  if (known === undefined || after === undefined) return {}
  const hash = ledger.pushed(known)
  if (hash === undefined)
    return { note: 'it has an id and no earlier push is known; it is updated to be sure' }
  const before = textOf(recorded, known)
  const changes = before === undefined ? [] : fieldChanges(before, after)
  const note = noteOn(hash, { before, after, changes })
  return { ...(changes.length === 0 ? {} : { changes }), ...(note === undefined ? {} : { note }) }
}

function fieldChanges(before: EntryText, after: EntryText): FieldChange[] {
  const fields = new Set([...Object.keys(after), ...Object.keys(before)])
  return [...fields].flatMap((field): FieldChange[] => {
    const path = [field]
    if (!Object.hasOwn(before, field)) return [{ path, kind: 'added', after: after[field], notes: [] }]
    if (!Object.hasOwn(after, field)) return [{ path, kind: 'removed', before: before[field], notes: [] }]
    if (isDeepStrictEqual(before[field], after[field])) return []
    return [{ path, kind: 'changed', before: before[field], after: after[field], notes: [] }]
  })
}

interface Sides {
  readonly before: EntryText | undefined
  readonly after: EntryText
  readonly changes: readonly FieldChange[]
}

function noteOn(hash: string, { before, after, changes }: Sides): string | undefined {
  if (hash === unknownContent) return 'an earlier update ended without an answer; it is sent again to be sure'
  if (before === undefined || changes.length > 0) return undefined
  const variables = Object.values(after).flatMap(value =>
    typeof value === 'string' ? segmentsOf(value).filter(({ kind }) => kind === 'env') : [],
  )
  const names = new Set(variables.map(segment => ('written' in segment ? segment.written : '')))
  return names.size === 0
    ? 'the id of a resource that it names changed'
    : `the value of ${[...names].join(' or ')} changed`
}
