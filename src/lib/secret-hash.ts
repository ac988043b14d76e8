import { scryptSync } from 'node:crypto'

/** Converts a value from the environment to the form that the lockfile may store. */
export type SecretHash = (value: string) => string

/** Cost of scrypt: about 7 ms per guess at a short password, since the file is readable to everyone with access to the repository. */
const cost = 2 ** 12

const hashers = new Map<string, SecretHash>()

/** Hashes with one salt; each value once in a run, for it is slow on purpose. */
export function secretHash(salt: string): SecretHash {
  const hasher = hashers.get(salt) ?? createHasher(salt)
  hashers.set(salt, hasher)
  return hasher
}

function createHasher(salt: string): SecretHash {
  const hashes = new Map<string, string>()
  return value => {
    const hash = hashes.get(value) ?? scryptSync(value, salt, 18, { N: cost }).toString('base64url')
    hashes.set(value, hash)
    return hash
  }
}
