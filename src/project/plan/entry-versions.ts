import { isDeepStrictEqual } from 'node:util'
import type { Address } from '../../files/formats/address.ts'
import { isObject } from '../../lib/json.ts'
import type { FileEntry } from '../faq/index.ts'
import { findEntryText } from '../lockfile/entries/index.ts'
import type { Resource } from '../resources/index.ts'
import { type EntryState, planEntries } from './plan-knowledge-base.ts'
import type { RecordedValues } from './recorded-values.ts'
import type { VersionChange } from './version-change.ts'

type IdOf = (address: Address) => string
type Content = FileEntry['content']

/** An entry in each version; without `before`, it is new. `contents` are those of the file. */
export interface EntryVersions {
  readonly change?: VersionChange
  readonly before?: (idOf: IdOf) => Content
  readonly after: (contents: readonly Content[], idOf: IdOf) => Content | readonly Content[]
}

export function readEntryVersions(
  { address, checked }: Resource,
  state: EntryState,
  { note, renderEntry }: RecordedValues,
): EntryVersions[] {
  const { inserts, updates, unchanged, orphaned } = planEntries(checked, state)
  const { lastState } = state
  const changeOf = ({ index, label }: FileEntry, field?: string): VersionChange => {
    const path = ['faq', index, ...(field === undefined ? [] : [field])]
    const position = checked.source.positionOf(path, 'value')
    return { address, file: checked.source.file, path, position, question: label }
  }
  let unknown = 0
  const versions = [
    ...unchanged.map(entry => ({ entry })),
    ...inserts.map(entry => ({ entry, change: changeOf(entry) })),
    ...updates.flatMap(entry => {
      const before = findEntryText(lastState, entry.key ?? entry.id ?? '')
      if (before === undefined) {
        unknown += 1
        return [{ entry }]
      }
      const now = entry.text
      const field = Object.keys(now).find(name => !isDeepStrictEqual(now[name], before[name]))
      const restored = (idOf: IdOf) => toContent(renderEntry(before, idOf))
      return [{ entry, change: changeOf(entry, field), before: restored }]
    }),
  ].sort((one, other) => one.entry.index - other.entry.index)
  const orphanVersions = orphaned.flatMap((key): EntryVersions[] => {
    const text = findEntryText(lastState, key)
    if (text === undefined) unknown += 1
    return text === undefined ? [] : [{ after: (_, idOf) => toContent(renderEntry(text, idOf)) }]
  })
  if (unknown > 0) note({ code: 'entries', address, count: unknown })
  return [
    ...versions.map(
      ({ entry, ...version }): EntryVersions => ({
        ...version,
        after: contents => contents[entry.index] ?? [],
      }),
    ),
    ...orphanVersions,
  ]
}

/** Converts the recorded text of an entry to its content. */
export function toContent(value: unknown): Content {
  const { question = '', answer = '', ...rest } = isObject(value) ? value : {}
  return { ...rest, question: String(question), answer: String(answer) }
}
