import { randomBytes, scryptSync } from 'node:crypto'

/** A value from the environment → what the lockfile may hold of it. */
export type SecretHash = (value: string) => string

/** Of scrypt: some 15 ms for each guess at a short password, in a file that everybody who reads the repository has. */
const cost = 2 ** 13

/** Hashes with one salt; each value once, for it is slow on purpose. */
export function secretHash(salt: string): SecretHash {
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
