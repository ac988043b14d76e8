import { Document, visit } from 'yaml'
import type { Address } from '../../files/formats/address.ts'
import type { EntryText, RecordedEntry } from './ledger.ts'
import type { ResourceState, Section } from './lockfile.ts'

const header = `# Written by callyard: the last state that was sent to each target. Values from the environment are stored as salted hashes.
# If this file belongs to a project, commit it: without it, everything would be created again.
`

type Entries = Readonly<Record<string, RecordedEntry>> | ReadonlyMap<string, RecordedEntry>
/** A resource to be written, whose entries may come from a ledger. */
export type WrittenRecord = Omit<ResourceState, 'entries'> & { readonly entries?: Entries | undefined }
export type WrittenSection = Omit<Section, 'resources'> & {
  readonly resources: Readonly<Record<string, WrittenRecord>>
}
interface WrittenLockfile {
  readonly targets: Readonly<Record<string, WrittenSection>>
}

export type LockText = typeof lockText

/** The text of a lockfile, sorted by targets and resources, so that two branches differ in their own lines alone. */
export function lockText({ targets }: WrittenLockfile): string {
  const sections = Object.entries(targets)
    .sort(byName)
    .map(([name, section]) => `${indented(keyLine(name), 1)}\n${sectionText(section)}`)
  return `${header}version: 1\ntargets:${sections.length === 0 ? ' {}\n' : `\n${sections.join('')}`}`
}

function sectionText({ resources, ...head }: WrittenSection): string {
  const { baseUrl, teamId, salt, serial, applied, by, forgotten } = head
  const lines = indented(yaml({ baseUrl, teamId, salt, serial, applied, by, forgotten }), 2)
  const blocks = Object.entries(resources)
    .sort(byName)
    .map(([address, state]) => recordText(address as Address, state))
  return `${lines}    resources:${blocks.length === 0 ? ' {}\n' : `\n${blocks.join('')}`}`
}

function recordText(address: Address, { entries, texts, ...state }: WrittenRecord): string {
  const { id, replaced, creating, updating, body, env, files, ids, pending } = state
  const fields = { id, replaced, creating, updating, body, env, files, ids, pending }
  return [
    indented(yaml({ [address]: fields }), 3),
    ...(entries === undefined || (entries instanceof Map && entries.size === 0)
      ? []
      : mapping('entries', entries)),
    ...(texts === undefined ? [] : mapping('texts', texts)),
  ].join('')
}

function mapping(name: string, values: Entries | Readonly<Record<string, EntryText>>): string[] {
  const isMap = values instanceof Map
  const keys = (isMap ? [...values.keys()] : Object.keys(values)).sort()
  const line = (key: string) => {
    const value = isMap ? values.get(key) : values[key as keyof typeof values]
    return isPlain(key) && isPlain(value)
      ? `          ${key}: ${value}\n`
      : indented(yaml({ [key]: value }), 5)
  }
  const parts = [indented(`${name}:${keys.length === 0 ? ' {}' : ''}\n`, 4)]
  // In parts: a string for each of a million lines takes several times the memory of the text.
  for (let start = 0; start < keys.length; start += 1000)
    parts.push(
      keys
        .slice(start, start + 1000)
        .map(line)
        .join(''),
    )
  return parts
}

/** Matches words that YAML writes plain and reads as strings, as most ids and hashes; `yaml` takes long for them. */
function isPlain(word: unknown): boolean {
  return (
    typeof word === 'string' &&
    /^(?:[A-Za-z][\w-]*|[\d_][\w-]*\w)$/.test(word) &&
    !/^(?:true|false|null|y|n|yes|no|on|off|\d+|0o[0-7]+|0x[\da-f]+|\d+e-?\d+)$/i.test(word)
  )
}

/** `sandbox:`, in quotes where YAML needs them. */
function keyLine(name: string): string {
  return yaml({ [name]: null }).replace(/ null\n$/, '')
}

/** Leaves out fields that are undefined. */
function yaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, scalar) {
      // As a block, a text of white space alone would be read with fewer spaces than it has.
      if (typeof scalar.value === 'string' && /^[ \t\n]+$/.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  // On several lines, `yaml` writes a line of blanks in quotes with a backslash that it reads as a part of it.
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
}

/** Only a line feed ends a line of YAML: the flag m would also take U+2028 inside a text for an end. */
function indented(text: string, levels: number): string {
  return text.replace(/(?<=^|\n)(?=[^\n])/g, '  '.repeat(levels))
}

/** Compares by code units, independent of the locale. */
function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0
}
