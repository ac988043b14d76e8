import type { Resource } from '../load/resource.ts'
import type { SecretHash } from '../snapshot/secret-hash.ts'

/** The id that a knowledge base's file names; loading has seen that there is one. */
export function knowledgeBaseIdOf(body: unknown): string {
  const id =
    typeof body === 'object' && body !== null && 'knowledgeBaseId' in body ? body.knowledgeBaseId : ''
  return String(id)
}

/** The same for the lockfile: a hash where the id came from the environment. */
export function knowledgeBaseFingerprint({ checked }: Pick<Resource, 'checked'>, hash: SecretHash): string {
  const id = knowledgeBaseIdOf(checked.body)
  const concealed = checked.fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
  return concealed ? hash(id) : id
}
