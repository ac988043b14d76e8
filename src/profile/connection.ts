import { CallwrightError } from '../lib/error.ts'
import type { Settings } from './settings.ts'

/**
 * Base URL and key. Throws a usage error without the first and for an unknown profile, `unauthorized` without the second.
 */
export function requireConnection({ baseUrl, apiKey, missing, unknownProfile }: Settings): {
  baseUrl: string
  apiKey: string
} {
  if (unknownProfile !== undefined) throw unknownProfile
  if (baseUrl.value === undefined) {
    throw new CallwrightError('usage', missing?.message ?? 'no base URL is set', {
      hint:
        missing?.hint ??
        'callwright profile add <name> keeps one; or give --base-url or CALLWRIGHT_BASE_URL; to try things out: callwright sandbox start',
    })
  }
  if (apiKey.value === undefined) {
    throw new CallwrightError('unauthorized', missing?.message ?? 'no API key is set', {
      hint:
        missing?.hint ??
        'callwright profile add <name> keeps one; or set CALLWRIGHT_API_KEY; to try things out: callwright sandbox start',
      details: { outcome: 'not-sent' },
    })
  }
  return { baseUrl: baseUrl.value, apiKey: apiKey.value }
}
