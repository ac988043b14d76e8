import { type Address, kindOfAddress } from '../address.ts'
import type { Resource } from '../load/resource.ts'
import type { SecretHash } from '../snapshot/secret-hash.ts'
import type { IdOf } from '../snapshot/snapshot.ts'
import { knowledgeBaseFingerprint, knowledgeBaseIdOf } from './knowledge-base-id.ts'

/** What references stand for: when they are sent, and in the lockfile, without secrets. */
export interface Ids {
  readonly idOf: IdOf
  readonly fingerprintOf: IdOf
}

/** Ids by what the lockfile has now; of knowledge bases by what their own files say. */
export function idsOf(
  resources: ReadonlyMap<Address, Resource>,
  hash: SecretHash,
  recorded: (address: Address) => { readonly id?: string | undefined } | undefined,
): Ids {
  const by =
    (ofKnowledgeBase: (resource: Resource) => string): IdOf =>
    address => {
      const resource = resources.get(address)
      if (kindOfAddress(address) !== 'kb') return recorded(address)?.id
      return resource === undefined ? undefined : ofKnowledgeBase(resource)
    }
  return {
    idOf: by(({ checked }) => knowledgeBaseIdOf(checked.body)),
    fingerprintOf: by(resource => knowledgeBaseFingerprint(resource, hash)),
  }
}
