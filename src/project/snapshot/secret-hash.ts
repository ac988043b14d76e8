import { randomBytes, scryptSync } from 'node:crypto'

/** A value from the environment → what the lockfile may hold of it. */
export type SecretHash = (value: string) => string

/** Of scrypt: some 7 ms for each guess at a short password, in a file that everybody who reads the repository has. */
const cost = 2 ** 12

const hashers = new Map<string, SecretHash>()

/** Hashes with one salt; each value once in a run, for it is slow on purpose. */
export function secretHash(salt: string): SecretHash {
  const hasher = hashers.get(salt) ?? createHasher(salt)
  hashers.set(salt, hasher)
  return hasher
}

function createHasher(salt: string): SecretHash {
  const known = new Map<string, string>()
  return value => {
    const hash = known.get(value) ?? scryptSync(value, salt, 18, { N: cost }).toString('base64url')
    known.set(value, hash)
    return hash
  }
}

export function newSalt(): string {
  return randomBytes(12).toString('base64url')
}
