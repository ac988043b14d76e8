import { type Address, kindOfAddress } from '../../../files/formats/address.ts'
import { byCase } from '../../../lib/by-case.ts'
import type { Choice, Why } from '../plan-schema.ts'

interface ResourceId {
  readonly address: Address
  /** Undefined if the service has none of it. */
  readonly id?: string | undefined
}

/** Ways to settle an action that is blocked or has no file. */
export function choicesFor(why: Why, { address, id }: ResourceId): readonly Choice[] {
  return byCase('code', why, {
    'fixed-fields': ({ fields }): readonly Choice[] => [
      { code: 'empty-fields', fields },
      { code: 'create-again', address, id },
    ],
    'patched-fields': ({ fields }) => [
      { code: 'set-fields', fields },
      { code: 'declare-endpoint', method: 'PUT' },
    ],
    replaced: () => [],
    'no-assistant-update': () => [
      { code: 'replace-assistants', id },
      { code: 'declare-endpoint', method: 'PATCH' },
    ],
    'may-exist': () => [
      kindOfAddress(address) === 'kb' ? { code: 'write-entry-ids' } : { code: 'adopt', address },
      { code: 'apply-rest' },
    ],
    'renamed-file': ({ former }) => [
      { code: 'adopt-entries', address, former },
      { code: 'forget-entries', address: former },
    ],
    'other-knowledge-base': () => [{ code: 'restore-id' }, { code: 'insert-entries', address }],
    'no-file': ({ heir }) => [
      ...(heir === undefined ? [] : [{ code: 'rename', address: heir, id } as const]),
      { code: 'forget', address },
    ],
  })
}
