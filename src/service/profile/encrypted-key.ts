import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { CallyardError } from '../../lib/error.ts'
import { bindingOf, type KeyBinding, type LockedKey } from './locked-key.ts'
import type { EncryptedKey } from './store-schema.ts'

const scryptKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** The cost that OWASP recommends for scrypt: 128 MB and close to a second for each guess. */
const defaultCost = { n: 2 ** 17, r: 8, p: 1 }
const cipher = 'aes-256-gcm'
const tagBytes = 16

export { lockedKeyOf } from './locked-key.ts'

/** Error for a key that nobody can be asked to open. */
export function keyLocked({ profile }: LockedKey): CallyardError {
  return new CallyardError(
    'unauthorized',
    `the API key of profile ${profile} is encrypted, and its passphrase requires a terminal`,
    {
      code: 'key-locked',
      hint: 'run the command in your own terminal; scripts use CALLYARD_API_KEY, and agents request approval',
      details: { profile, outcome: 'not-sent' },
    },
  )
}

/** Encrypts the key of a profile for its service and limits. */
export async function encryptKey(
  apiKey: string,
  passphrase: string,
  profile: KeyBinding,
  cost = defaultCost,
): Promise<EncryptedKey> {
  const [salt, iv] = [randomBytes(16), randomBytes(12)]
  const encryption = createCipheriv(cipher, await derive(passphrase, salt, cost), iv)
  encryption.setAAD(Buffer.from(bindingOf(profile)))
  const data = Buffer.concat([encryption.update(apiKey, 'utf8'), encryption.final(), encryption.getAuthTag()])
  const [saltText, ivText, dataText] = [salt, iv, data].map(bytes => bytes.toString('base64'))
  return { cipher, kdf: 'scrypt', ...cost, salt: saltText ?? '', iv: ivText ?? '', data: dataText ?? '' }
}

/** Returns the key; undefined for a wrong passphrase, and for a profile whose service or limits were edited. */
export async function decryptKey(
  { encrypted, boundTo }: LockedKey,
  passphrase: string,
): Promise<string | undefined> {
  const [salt, iv, data] = [encrypted.salt, encrypted.iv, encrypted.data].map(text =>
    Buffer.from(text, 'base64'),
  ) as [Buffer, Buffer, Buffer]
  const key = await derive(passphrase, salt, encrypted)
  try {
    const decryption = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes })
    decryption.setAAD(Buffer.from(boundTo))
    decryption.setAuthTag(data.subarray(-tagBytes))
    const text = Buffer.concat([decryption.update(data.subarray(0, -tagBytes)), decryption.final()])
    return text.toString('utf8')
  } catch {
    return undefined
  }
}

/** A keyboard may send `é` as one character or as two. */
function derive(passphrase: string, salt: Buffer, { n, r, p }: typeof defaultCost): Promise<Buffer> {
  return scryptKey(passphrase.normalize('NFC'), salt, 32, { N: n, r, p, maxmem: 256 * n * r })
}
