import { CallyardError } from '../../lib/error.ts'
import { type LockedKey, loadEncryption } from '../../service/profile/index.ts'
import type { Prompts } from './context.ts'

interface Unlocked {
  readonly apiKey: string
  readonly passphrase: string
}

/**
 * Asks for the passphrase of a key until it opens the key.
 * @throws CallyardError `unauthorized` without a terminal, `cancelled` by Ctrl-C
 */
export async function askPassphrase(locked: LockedKey, prompts: Prompts): Promise<Unlocked> {
  const { decryptKey, keyLocked } = await loadEncryption()
  if (!prompts.available) throw keyLocked(locked)
  let apiKey: string | undefined
  const passphrase = await prompts.secret({
    message: `Passphrase for profile ${locked.profile}`,
    flag: 'passphrase',
    validate: async typed => {
      apiKey = await decryptKey(locked, typed)
      return apiKey === undefined
        ? 'wrong passphrase, or the base URL or limits of the profile were edited'
        : true
    },
  })
  if (apiKey === undefined) throw new CallyardError('cancelled', 'cancelled; nothing was sent')
  return { apiKey, passphrase }
}
