import * as z from 'zod/mini'
import { readHours, timeZoneText } from '../../files/formats/batch.ts'
import { optional } from '../../interface/fields.ts'
import { vocabularySchema } from '../../interface/vocabulary.ts'

/** Limits of the calls to a profile's service. Strict: a limit that this version does not know must not be ignored. */
export const limitsSchema = z.strictObject({
  numbers: optional(
    z.readonly(z.array(z.string())),
    'Numbers that may be called, such as +12025550123 or +1202555*',
  ),
  callsPerDay: optional(z.int(), 'Maximum number of calls a day'),
  hours: optional(
    z.string().check(z.refine(text => readHours(text) !== undefined)),
    'Times of day for calls, such as 09:00-17:00',
  ),
  // So that `TZ` does not move them. Default: that of this machine.
  timeZone: optional(timeZoneText(), 'Time zone of days and hours'),
})
export type Limits = Readonly<z.infer<typeof limitsSchema>>

/** An API key that a passphrase opens (see encrypted-key.ts). The bounds keep an edited file from using all memory. */
const encryptedKeySchema = z.strictObject({
  cipher: z.literal('aes-256-gcm'),
  kdf: z.literal('scrypt'),
  n: z.int().check(z.gte(2), z.lte(2 ** 20)),
  r: z.int().check(z.gte(1), z.lte(16)),
  p: z.int().check(z.gte(1), z.lte(16)),
  salt: z.base64(),
  iv: z.base64(),
  data: z.base64(),
})
export type EncryptedKey = Readonly<z.infer<typeof encryptedKeySchema>>

// Loose: what a later version wrote is kept.
export const profileSchema = z.looseObject({
  baseUrl: z.string(),
  apiKey: z.union([z.string(), encryptedKeySchema]),
  /** Token for the control API of a running sandbox. */
  controlToken: z.optional(z.string()),
  vocabulary: z.optional(vocabularySchema()),
  /** A person approves each command that changes something at the service. */
  approval: z.optional(z.literal('required')),
  limits: z.optional(limitsSchema),
})

export const storeSchema = z.looseObject({
  current: z.optional(z.string()),
  profiles: z._default(z.record(z.string(), profileSchema), {}),
})

export type Profile = z.infer<typeof profileSchema>
export type ProfileStore = z.infer<typeof storeSchema>
