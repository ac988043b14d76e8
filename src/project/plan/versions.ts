import { dirname, join } from 'node:path'
import { type Address, kindOfAddress } from '../../files/formats/address.ts'
import { parseTemplate } from '../../files/source/index.ts'
import type { FieldPath } from '../../interface/finding.ts'
import { isObject } from '../../lib/json.ts'
import { readEntries } from '../faq/index.ts'
import { findState, type ResourceState, type TargetState } from '../lockfile/index.ts'
import { collectIds, renderResource, sentBody } from '../rendering/index.ts'
import type { LoadedProject, Resource, Seed } from '../resources/index.ts'
import { readEntryVersions, toContent } from './entry-versions.ts'
import type { FieldChange, Plan } from './plan-schema.ts'
import { type RecordedContext, readRecordedValues } from './recorded-values.ts'
import type { UnknownValue, VersionChange } from './version-change.ts'

/**
 * Reads the versions of a project between what was last sent to a target and its files. Resources and entries without a file are in every
 * version, because an apply leaves them at the service. Pure.
 */
export function readVersions(project: LoadedProject, state: TargetState, { actions }: Plan) {
  const { section, hash, isOwnedByOtherTarget } = state
  const recordedAt = (address: Address) => findState(section, address) ?? { body: {} }
  const unknown = new Map<string, UnknownValue>()
  const note = (value: UnknownValue) => void unknown.set(JSON.stringify(value), value)
  const ids = collectIds(project.resources, hash, recordedAt)
  const planned = new Map(actions.map(action => [action.address, action]))
  const formers = new Set(actions.flatMap(({ why }) => (why?.code === 'renamed-file' ? [why.former] : [])))
  const resources = project.resources.map(resource => {
    const action = planned.get(resource.address)
    const former = action?.why?.code === 'renamed-file' ? action.why.former : resource.address
    const lastState = recordedAt(former)
    const recordedValues = readRecordedValues(lastState, {
      address: resource.address,
      checked: resource.checked,
      hash,
      note,
    })
    const entries =
      resource.kind === 'kb'
        ? readEntryVersions(
            resource,
            { isOwnedByOtherTarget, lastState, rendering: renderResource(resource.checked, ids) },
            recordedValues,
          )
        : []
    const fields = (action?.changes ?? []).map(change => {
      recordedValues.noteVariables(valueAt(lastState.body, change.path))
      return readFieldVersion(resource, change, lastState)
    })
    return { ...resource, lastState, read: recordedValues, fields, entries }
  })
  const orphans = actions
    .filter(({ action, address }) => action === 'orphaned' && !formers.has(address))
    .flatMap(({ address }) => readOrphan(address, recordedAt(address), { hash, note }))
  return {
    /** In the order of the plan. */
    changes: resources.flatMap(({ fields, entries }) => [
      ...fields,
      ...entries.flatMap(({ change }) => change ?? []),
    ]),
    unknown: [...unknown.values()],
    /** Addresses of the assistants that are deployed and have a file. */
    assistants: project.resources.flatMap(({ address, kind }) =>
      kind === 'assistant' && recordedAt(address).id !== undefined ? [address] : [],
    ),
    /** Returns the version that contains these changes. */
    withChanges: (isIncluded: (change: VersionChange) => boolean): Seed[] => [
      ...orphans,
      ...resources.map(
        ({ address, kind, checked, lastState, read, fields, entries }): Seed => ({
          address,
          kind,
          build(idOf) {
            const now = sentBody(checked, idOf)
            const reverted = fields.filter(change => !isIncluded(change))
            const body = reverted.reduce<unknown>(
              (whole, { path }) => withField(whole, path, read.render(lastState.body, idOf)),
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

/** Returns a copy of a body whose field at `path` is that of `source`, or is missing if it is there. */
function withField(body: unknown, path: FieldPath, source: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return source
  if (!isObject(body)) return body
  const fields = isObject(source) ? source : {}
  const { [key]: _, ...others } = body
  if (!Object.hasOwn(fields, key)) return others
  return { ...body, [key]: withField(body[key], rest, fields[key]) }
}

function readFieldVersion(
  { address, checked }: Resource,
  { path }: FieldChange,
  lastState: ResourceState,
): VersionChange {
  const included = findIncluded(valueAt(checked.source.value, path))
  const text = included === undefined ? undefined : checked.references.included.get(included)
  if (included !== undefined && text !== undefined) {
    const line = firstDifference(lastState.files?.[included]?.text ?? '', text)
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

/** Returns a recorded tool or knowledge base without a file. An assistant without one is not called in a replay. */
function readOrphan(
  address: Address,
  lastState: ResourceState,
  context: Omit<RecordedContext, 'address'>,
): Seed[] {
  const kind = kindOfAddress(address)
  if (kind === 'assistant') return []
  const { render, renderEntry, noteVariables } = readRecordedValues(lastState, { address, ...context })
  noteVariables(lastState.body)
  const texts = Object.values(lastState.texts ?? {})
  return [
    {
      address,
      kind,
      build(idOf) {
        const body = render(lastState.body, idOf)
        const entries = texts.map(text => toContent(renderEntry(text, idOf)))
        return { body: isObject(body) ? body : {}, entries }
      },
    },
  ]
}
