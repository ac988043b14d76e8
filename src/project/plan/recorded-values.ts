import { type Address, toAddress } from '../../files/formats/address.ts'
import { type CheckedFile, parseTemplate } from '../../files/source/index.ts'
import { mapTexts, textsIn } from '../../lib/json.ts'
import type { SecretHash } from '../../lib/secret-hash.ts'
import type { ResourceState } from '../lockfile/index.ts'
import type { UnknownValue } from './version-change.ts'

type IdOf = (address: Address) => string

export interface RecordedContext {
  readonly address: Address
  /** Current file; undefined if there is none. */
  readonly checked?: CheckedFile | undefined
  readonly hash: SecretHash
  readonly note: (value: UnknownValue) => void
}

export type RecordedValues = ReturnType<typeof readRecordedValues>

/** Returns functions that resolve the references of recorded values, with current values of environment variables. */
export function readRecordedValues(
  lastState: ResourceState,
  { address, checked, hash, note }: RecordedContext,
) {
  const variables = checked?.references.variables ?? new Map<string, string>()
  return {
    note,
    /** Reports the variables in a value whose recorded value is not the current one. */
    noteVariables(value: unknown): void {
      for (const [, text] of textsIn(value))
        for (const segment of parseTemplate(text)) {
          if (segment.kind !== 'env') continue
          const recordedHash = lastState.env?.[segment.name]
          const current = variables.get(segment.name)
          if (recordedHash !== undefined && (current === undefined || hash(current) !== recordedHash))
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
              return lastState.env?.[name] === undefined ? fallback : (variables.get(name) ?? fallback)
            }
            if (segment.kind === 'file') return lastState.files?.[segment.path]?.text ?? ''
            if (segment.kind !== 'resource') return segment.written
            return idOf(toAddress(segment.resource.kind, segment.resource.name))
          })
          .join(''),
      ),
    /** Text of an entry, whose files are in place, and which has environment variables and references as written. */
    renderEntry: (value: unknown, idOf: IdOf): unknown =>
      mapTexts(value, text =>
        parseTemplate(text)
          .map(segment => {
            if (segment.kind === 'text') return segment.text
            if (segment.kind === 'env') return variables.get(segment.name) ?? segment.written
            if (segment.kind !== 'resource') return segment.written
            return idOf(toAddress(segment.resource.kind, segment.resource.name)) || segment.written
          })
          .join(''),
      ),
  }
}
