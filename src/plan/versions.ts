import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type FileEntry, readEntries } from '../faq/index.ts'
import { type Address, kindOfAddress, toAddress } from '../interface/address.ts'
import type { FieldPath } from '../interface/finding.ts'
import { isObject, mapTexts, textsIn } from '../lib/json.ts'
import { findEntryText, findRecorded, type Recorded } from '../lockfile/index.ts'
import type { LoadedProject, Resource, Seed } from '../resources/index.ts'
import { type CheckedFile, type Position, parseTemplate } from '../source/index.ts'
import type { FieldChange, Plan } from './actions.ts'
import { planEntries } from './plan-knowledge-base.ts'
import type { TargetState } from './plan-project.ts'
import { collectIds, type SecretHash } from './snapshot.ts'

/** A difference between the deployed and the planned version of a project. */
export interface VersionChange {
  readonly address: Address
  /** Display name of the file with the change: that of the resource, or one that it includes. */
  readonly file: string
  /** Field of the resource, such as `welcomeMessage` or `faq[3].answer`. */
  readonly path: FieldPath
  readonly position: Pick<Position, 'line' | 'column'> | undefined
  /** Question of a changed FAQ entry. */
  readonly question?: string
}

/** A deployed value that the lockfile does not contain. The deployed version then has the value of the files. */
export type UnknownValue =
  /** Value of an environment variable when it was last sent. */
  | { readonly code: 'variable'; readonly address: Address; readonly name: string }
  /** Previous text of a FAQ entry: the lockfile keeps only hashes of large knowledge bases. */
  | { readonly code: 'entry'; readonly address: Address; readonly question: string | undefined }

type IdOf = Parameters<Seed['build']>[0]
type Content = FileEntry['content']

/**
 * Reads the versions of a project between what was last sent to a target and its files. Resources and entries without a file are in every
 * version, because an apply leaves them at the service. Pure.
 */
export function readVersions(project: LoadedProject, state: TargetState, { actions }: Plan) {
  const { section, hash } = state
  const unknown = new Map<string, UnknownValue>()
  const note = (value: UnknownValue) => void unknown.set(JSON.stringify(value), value)
  const byAddress = new Map(project.resources.map(resource => [resource.address, resource]))
  const { fingerprintOf } = collectIds(byAddress, hash, address => findRecorded(section, address))
  const planned = new Map(actions.map(action => [action.address, action]))
  const formers = new Set(actions.flatMap(({ why }) => (why?.code === 'renamed-file' ? [why.former] : [])))
  const resources = project.resources.map(resource => {
    const action = planned.get(resource.address)
    const former = action?.why?.code === 'renamed-file' ? action.why.former : resource.address
    const recorded = findRecorded(section, former)
    const read = readRecorded(recorded, { address: resource.address, checked: resource.checked, hash, note })
    const entries =
      resource.kind === 'kb'
        ? readEntryVersions(resource, { ...state, recorded, idOf: fingerprintOf, ...read })
        : []
    const fields = (action?.changes ?? []).map(change => {
      read.noteVariables(valueAt(recorded?.body, change.path))
      return readFieldVersion(resource, change, recorded)
    })
    return { ...resource, recorded, read, fields, entries }
  })
  const orphans = actions
    .filter(({ action, address }) => action === 'orphaned' && !formers.has(address))
    .flatMap(({ address }) => readOrphan(address, findRecorded(section, address), { hash, note }))
  return {
    /** In the order of the plan. */
    changes: resources.flatMap(({ fields, entries }) => [
      ...fields,
      ...entries.flatMap(({ change }) => change ?? []),
    ]),
    unknown: [...unknown.values()],
    /** Addresses of the assistants that are deployed and have a file. */
    assistants: project.resources.flatMap(({ address, kind }) =>
      kind === 'assistant' && findRecorded(section, address)?.id !== undefined ? [address] : [],
    ),
    /** Returns the version that contains these changes. */
    withChanges: (isIncluded: (change: VersionChange) => boolean): Seed[] => [
      ...orphans,
      ...resources.map(
        ({ address, kind, checked, recorded, read, fields, entries }): Seed => ({
          address,
          kind,
          build(idOf) {
            const now = checked.render({ resource: each => idOf(toAddress(each.kind, each.name)) })
            const reverted = fields.filter(change => !isIncluded(change))
            const body = reverted.reduce<unknown>(
              (whole, { path }) => withField(whole, path, read.render(recorded?.body, idOf)),
              now,
            )
            const contents =
              kind === 'kb' ? readEntries(checked.source, now).map(({ content }) => content) : []
            return {
              body: isObject(body) ? body : {},
              entries: entries.flatMap(({ change, before, after }) =>
                change === undefined || isIncluded(change) ? after(contents, idOf) : (before?.(idOf) ?? []),
              ),
            }
          },
        }),
      ),
    ],
  }
}

interface RecordedContext {
  readonly address: Address
  /** Current file; undefined if there is none. */
  readonly checked?: CheckedFile | undefined
  readonly hash: SecretHash
  readonly note: (value: UnknownValue) => void
}

/** Returns functions that resolve the references of recorded values, with current values of environment variables. */
function readRecorded(recorded: Recorded | undefined, { address, checked, hash, note }: RecordedContext) {
  const variables = checked?.references.variables ?? new Map<string, string>()
  return {
    note,
    /** Reports the variables in a value whose recorded value is not the current one. */
    noteVariables(value: unknown): void {
      for (const [, text] of textsIn(value))
        for (const segment of parseTemplate(text)) {
          const known = segment.kind === 'env' ? recorded?.env?.[segment.name] : undefined
          if (segment.kind !== 'env' || known === undefined) continue
          const current = variables.get(segment.name)
          if (current === undefined || hash(current) !== known)
            note({ code: 'variable', address, name: segment.name })
        }
    },
    render: (value: unknown, idOf: IdOf): unknown =>
      mapTexts(value, text =>
        parseTemplate(text)
          .map(segment => {
            if (segment.kind === 'text') return segment.text
            if (segment.kind === 'env') {
              const { name, fallback = '' } = segment
              return recorded?.env?.[name] === undefined ? fallback : (variables.get(name) ?? fallback)
            }
            if (segment.kind === 'file') return recorded?.files?.[segment.path]?.text ?? ''
            if (segment.kind !== 'resource') return segment.written
            return idOf(toAddress(segment.resource.kind, segment.resource.name))
          })
          .join(''),
      ),
    /** Text of an entry, whose files are in place, and which has environment variables and references as written. */
    renderEntry: (value: unknown, idOf: IdOf): unknown =>
      mapTexts(value, text =>
        text.replaceAll(/\$\{(env|tool|kb|assistant):([^{}]+)\}/g, (written, kind, name) => {
          if (kind !== 'env') return idOf(toAddress(kind, name)) || written
          return variables.get(name) ?? written
        }),
      ),
  }
}

/** Returns a copy of a body whose field at `path` is that of `source`, or is missing if it is there. */
function withField(body: unknown, path: FieldPath, source: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return source
  if (!isObject(body)) return body
  const fields = isObject(source) ? source : {}
  const { [key]: _, ...others } = body
  if (rest.length === 0 ? !Object.hasOwn(fields, key) : !Object.hasOwn(body, key)) return others
  return { ...body, [key]: withField(body[key], rest, fields[key]) }
}

function readFieldVersion(
  { address, checked }: Resource,
  { path }: FieldChange,
  recorded: Recorded | undefined,
): VersionChange {
  const included = findIncluded(valueAt(checked.source.value, path))
  const text = included === undefined ? undefined : checked.references.included.get(included)
  if (included !== undefined && text !== undefined) {
    const line = firstDifference(recorded?.files?.[included]?.text ?? '', text)
    const file = join(dirname(checked.source.file), included)
    return { address, file, path, position: { line, column: 1 } }
  }
  return { address, path, file: checked.source.file, position: checked.source.positionOf(path, 'key') }
}

/** Returns the path of an included file if it is the whole value. */
function findIncluded(value: unknown): string | undefined {
  const [segment, ...others] = typeof value === 'string' ? parseTemplate(value) : []
  return segment?.kind === 'file' && others.length === 0 ? segment.path : undefined
}

/** Returns the number of the first line that differs, from 1. */
function firstDifference(before: string, after: string): number {
  const old = before.split('\n')
  const now = after.split('\n')
  const index = now.findIndex((line, number) => line !== old[number])
  return index === -1 ? now.length : index + 1
}

function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
}

/** An entry in each version; without `before`, it is new. `contents` are those of the file. */
interface EntryVersions {
  readonly change?: VersionChange
  readonly before?: (idOf: IdOf) => Content
  readonly after: (contents: readonly Content[], idOf: IdOf) => Content | readonly Content[]
}

function readEntryVersions(
  { address, checked }: Resource,
  {
    recorded,
    note,
    renderEntry,
    ...state
  }: Pick<TargetState, 'hash' | 'isElsewhere'> &
    Pick<ReturnType<typeof readRecorded>, 'note' | 'renderEntry'> & {
      readonly recorded: Recorded | undefined
      readonly idOf: (address: Address) => string | undefined
    },
): EntryVersions[] {
  const { inserts, updates, unchanged, orphaned } = planEntries(checked, { recorded, ...state })
  const changeOf = ({ index, label }: FileEntry, field?: string): VersionChange => {
    const path = ['faq', index, ...(field === undefined ? [] : [field])]
    const position = checked.source.positionOf(path, 'value')
    return { address, file: checked.source.file, path, position, question: label }
  }
  const versions = [
    ...unchanged.map(entry => ({ entry })),
    ...inserts.map(entry => ({ entry, change: changeOf(entry) })),
    ...updates.flatMap(entry => {
      const before = findEntryText(recorded, entry.key ?? entry.id ?? '')
      if (before === undefined) {
        note({ code: 'entry', address, question: entry.label })
        return [{ entry }]
      }
      const now = entry.text ?? {}
      const field = Object.keys(now).find(name => !isDeepStrictEqual(now[name], before[name]))
      const restored = (idOf: IdOf) => toContent(renderEntry(before, idOf))
      return [{ entry, change: changeOf(entry, field), before: restored }]
    }),
  ].sort((one, other) => one.entry.index - other.entry.index)
  const kept = orphaned.flatMap((key): EntryVersions[] => {
    const text = findEntryText(recorded, key)
    if (text === undefined) note({ code: 'entry', address, question: undefined })
    return text === undefined ? [] : [{ after: (_, idOf) => toContent(renderEntry(text, idOf)) }]
  })
  return [
    ...versions.map(
      ({ entry, ...version }): EntryVersions => ({
        ...version,
        after: contents => contents[entry.index] ?? [],
      }),
    ),
    ...kept,
  ]
}

function toContent(value: unknown): Content {
  const { question = '', answer = '', ...rest } = isObject(value) ? value : {}
  return { ...rest, question: String(question), answer: String(answer) }
}

/** Returns a recorded tool or knowledge base without a file. An assistant without one is not called in a replay. */
function readOrphan(
  address: Address,
  recorded: Recorded | undefined,
  context: Omit<RecordedContext, 'address'>,
): Seed[] {
  const kind = kindOfAddress(address)
  if (recorded === undefined || kind === 'assistant') return []
  const { render, renderEntry, noteVariables } = readRecorded(recorded, { address, ...context })
  noteVariables(recorded.body)
  const texts = Object.values(recorded.texts ?? {})
  return [
    {
      address,
      kind,
      build(idOf) {
        const body = render(recorded.body, idOf)
        const entries = texts.map(text => toContent(renderEntry(text, idOf)))
        return { body: isObject(body) ? body : {}, entries }
      },
    },
  ]
}
