import type { CheckedFile } from '../../files/source/index.ts'
import { isObject } from '../../lib/json.ts'

interface FileWithoutEffect {
  readonly file: string
  /** Names of fields (interface.md 2.1), with a dot before that of a nested one. */
  readonly fields: readonly string[]
}

type Field = readonly [name: string, isSet: (values: Readonly<Record<string, unknown>>) => boolean]

/**
 * Fields that change what a caller meets on the phone and that the sandbox, chats and tests accept without effect. Those of voice and
 * sound are not among them: nothing offline is heard. The help topic sandbox-fields lists both.
 */
const fields: readonly Field[] = [
  ['assistantType', ({ assistantType }) => assistantType === 'workflow_based'],
  ['assistantOutcome', ({ assistantOutcome: list }) => Array.isArray(list) && list.length > 0],
  ['smsConfiguration', ({ smsConfiguration: sms }) => isObject(sms) && sms.enabled === true],
  ['persistHistory.sms', ({ persistHistory: history }) => isObject(history) && history.sms === true],
  ['assistantBackchannelingEnabled', assistant => assistant.assistantBackchannelingEnabled === true],
  ...overrides([
    ['recordingEnabled', ({ recordingEnabled }) => recordingEnabled === true],
    ['recordingPath', ({ recordingPath }) => typeof recordingPath === 'string'],
  ]),
]

/** Fields inside `assistantOverrides` (interface.md 2.6). */
function overrides(inner: readonly Field[]): Field[] {
  return inner.map(([name, isSet]) => [
    `assistantOverrides.${name}`,
    ({ assistantOverrides: values }) => isObject(values) && isSet(values),
  ])
}

/** Names of all fields that `listFieldsWithoutEffect` looks for. */
export const fieldsWithoutEffect: readonly string[] = fields.map(([name]) => name)

/** Returns the assistants with fields that have no effect offline. Files with errors are omitted. */
export function listFieldsWithoutEffect(files: readonly CheckedFile[]): FileWithoutEffect[] {
  return files.flatMap(({ kind, value, source: { file } }) => {
    if (kind !== 'assistant' || !isObject(value)) return []
    const names = fields.flatMap(([name, isSet]) => (isSet(value) ? [name] : []))
    return names.length === 0 ? [] : [{ file, fields: names }]
  })
}

/** `Without effect in the sandbox, chats and tests: assistantOutcome (desk.yaml)`; undefined if all fields have one. */
export function withoutEffectNote(files: readonly FileWithoutEffect[]): string | undefined {
  if (files.length === 0) return undefined
  const parts = files.map(({ file, fields: names }) => `${names.join(', ')} (${file})`)
  return `Without effect in the sandbox, chats and tests: ${parts.join('; ')}`
}
