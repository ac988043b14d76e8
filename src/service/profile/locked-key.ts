import { serviceOf } from './rules.ts'
import type { EncryptedKey, Limits, Profile } from './store-schema.ts'

/** An API key that only a passphrase opens, with everything that it is bound to. */
export interface LockedKey {
  readonly profile: string
  readonly encrypted: EncryptedKey
  /** Service and limits of the profile. If one of them was edited, the passphrase does not open the key. */
  readonly boundTo: string
}

/** Returns the locked key of a profile; undefined if its key is not encrypted. */
export function lockedKeyOf(name: string, profile: Profile): LockedKey | undefined {
  const { apiKey } = profile
  return typeof apiKey === 'string'
    ? undefined
    : { profile: name, encrypted: apiKey, boundTo: bindingOf(profile) }
}

export interface KeyBinding {
  readonly baseUrl: string
  readonly limits?: Limits | undefined
}

/** Text that is authenticated together with an encrypted key. */
export function bindingOf({ baseUrl, limits = {} }: KeyBinding): string {
  const ordered = Object.entries(limits).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([serviceOf(baseUrl), ordered])
}
