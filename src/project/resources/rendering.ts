import { type Address, kindOfAddress, toAddress } from '../../files/formats/address.ts'
import type { CheckedFile } from '../../files/source/index.ts'
import { hashContent } from '../../lib/hash.ts'
import { isObject } from '../../lib/json.ts'
import type { SecretHash } from '../../lib/secret-hash.ts'
import { getKnowledgeBaseId } from '../faq/index.ts'
import type { Snapshot } from '../lockfile/index.ts'
import type { Resource } from './find-resources.ts'

/** The id of another resource; undefined while it has none. */
export type IdOf = (address: Address) => string | undefined

/** A file that passed its check, as it would be sent now. References without an id yet are left out of `ids`. */
export function createSnapshot(
  { unresolvedBody, references }: CheckedFile,
  { hash, idOf }: { readonly hash: SecretHash; readonly idOf: IdOf },
): Snapshot {
  const body = unresolvedBody()
  // An empty variable is not a secret, and without it both forms show the sent value: `${env:A}` and `${env:A:-default}`.
  const set = [...references.variables].filter(([, value]) => value !== '')
  const env = set.map(([name, value]) => [name, hash(value)] as const)
  const files = [...references.included].map(
    ([path, text]) => [path, { hash: hashContent(text), text }] as const,
  )
  const ids = references.resources.flatMap(({ kind, name }) => {
    const id = idOf(toAddress(kind, name))
    return id === undefined ? [] : [[toAddress(kind, name), id] as const]
  })
  return {
    body: isObject(body) ? body : {},
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env.sort()) }),
    ...(files.length === 0 ? {} : { files: Object.fromEntries(files.sort()) }),
    ...(ids.length === 0 ? {} : { ids: Object.fromEntries(ids.sort()) }),
  }
}

/**
 * Resolves references with the current lockfile, and for knowledge bases with their own files. `idOf` is for sent bodies,
 * `fingerprintOf` for the lockfile, without secrets.
 */
export function collectIds(
  resources: ReadonlyMap<Address, Resource>,
  hash: SecretHash,
  stateOf: (address: Address) => { readonly id?: string | undefined } | undefined,
) {
  const by =
    (ofKnowledgeBase: (resource: Resource) => string): IdOf =>
    address => {
      const resource = resources.get(address)
      if (kindOfAddress(address) !== 'kb') return stateOf(address)?.id
      return resource && ofKnowledgeBase(resource)
    }
  return {
    idOf: by(({ checked }) => getKnowledgeBaseId(checked.body)),
    fingerprintOf: by(resource => knowledgeBaseFingerprint(resource, hash)),
  }
}

/** Fingerprint of a knowledge base's id for the lockfile: a hash where the id came from the environment. */
export function knowledgeBaseFingerprint({ checked }: Resource, hash: SecretHash): string {
  const id = getKnowledgeBaseId(checked.body)
  const concealed = checked.fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
  return concealed ? hash(id) : id
}
