import { maskKey } from '../../../service/api/index.ts'
import type { Profile } from '../../../service/profile/index.ts'

/** An API key as it may be shown: masked, or `encrypted`. */
export function apiKeyText(apiKey: Profile['apiKey']): string {
  return typeof apiKey === 'string' ? maskKey(apiKey) : 'encrypted'
}
