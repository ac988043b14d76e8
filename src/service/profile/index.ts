/** Profiles, API keys and their encryption; settings by flag, environment and file; consents, and rules of this machine. */
export { type Agreement, readAgreement } from './agreements.ts'
export { saveAgreement } from './conf.ts'
export { createRulesReader, readServiceRules, serviceOf } from './rules.ts'
export { saveRunProfile } from './run-profile.ts'

import { CallyardError, type ErrorKind } from '../../lib/error.ts'
import type { LockedKey } from './locked-key.ts'
import type { ResolvedSettings, SettingSources, Settings } from './settings.ts'

export type { LockedKey } from './locked-key.ts'
export type { ResolvedSettings, SettingOrigin, Settings } from './settings.ts'
export { checkName, readProfiles } from './store.ts'
export type { Limits, Profile } from './store-schema.ts'

/** Settings are loaded on first use, because many commands need none. See settings.ts. */
export async function resolveSettings(sources: SettingSources): Promise<ResolvedSettings> {
  const settings = await import('./settings.ts')
  return settings.readSettings(sources)
}

/** For a module that is loaded at each start. */
export const loadStore = () => import('./store.ts')

/** Encrypts and decrypts API keys. */
export const loadEncryption = () => import('./encrypted-key.ts')

/** Writes what `loadStore` reads. */
export const loadConf = () => import('./conf.ts')

/**
 * Base URL and key. Throws a usage error without the first and for an unknown profile, `unauthorized` without the second.
 */
export function requireConnection({ baseUrl, apiKey, lockedKey, missing, unknownProfile }: Settings): {
  baseUrl: string
  apiKey: string | LockedKey
} {
  if (unknownProfile !== undefined) throw unknownProfile
  if (baseUrl.value === undefined)
    throw missing ?? noConnection('usage', 'no-base-url', 'no base URL is set', 'CALLYARD_BASE_URL')
  const key = apiKey.value ?? lockedKey
  if (key === undefined)
    throw missing ?? noConnection('unauthorized', 'no-api-key', 'no API key is set', 'CALLYARD_API_KEY')
  return { baseUrl: baseUrl.value, apiKey: key }
}

const noConnection = (kind: ErrorKind, code: string, message: string, variable: string) =>
  new CallyardError(kind, message, {
    code,
    hint: `add a profile, or set ${variable}`,
    details: { outcome: 'not-sent' },
  })
