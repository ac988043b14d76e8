import { isObject } from '../../lib/json/is-object.ts'
import { type Address, kindOfAddress } from '../address.ts'
import type { Resource } from '../load/find-resources.ts'
import type { IdOf, SecretHash } from '../snapshot/snapshot.ts'

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

/** The id that a knowledge base's file names; loading has seen that there is one. */
export function knowledgeBaseIdOf(body: unknown): string {
  return String(isObject(body) ? body.knowledgeBaseId : '')
}

/** The same for the lockfile: a hash where the id came from the environment. */
export function knowledgeBaseFingerprint({ checked }: Pick<Resource, 'checked'>, hash: SecretHash): string {
  const id = knowledgeBaseIdOf(checked.body)
  const concealed = checked.fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
  return concealed ? hash(id) : id
}
