import { profileError } from './errors.ts'
import type { Settings } from './settings.ts'

/**
 * Base URL and key. Throws a usage error without the first and for an unknown profile, `unauthorized` without the second.
 */
export function requireConnection({ baseUrl, apiKey, missing, unknownProfile }: Settings): {
  baseUrl: string
  apiKey: string
} {
  if (unknownProfile !== undefined) throw unknownProfile
  if (baseUrl.value === undefined)
    throw missing ?? profileError('usage', 'no-base-url', { outcome: 'not-sent' })
  if (apiKey.value === undefined)
    throw missing ?? profileError('unauthorized', 'no-api-key', { outcome: 'not-sent' })
  return { baseUrl: baseUrl.value, apiKey: apiKey.value }
}
