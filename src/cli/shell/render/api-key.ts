import { maskKey } from '../../../service/api/index.ts'
import type { Profile } from '../../../service/profile/index.ts'
import type { SchemaBuilders } from '../schema-builders.ts'

export function apiKeySchema({ z, required }: SchemaBuilders) {
  return required(z.string(), 'Masked; `encrypted` if a passphrase opens it')
}

/** An API key as it may be shown: masked, or `encrypted`. */
export function apiKeyText(apiKey: Profile['apiKey']): string {
  return typeof apiKey === 'string' ? maskKey(apiKey) : 'encrypted'
}
