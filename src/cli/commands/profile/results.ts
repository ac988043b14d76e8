import * as z from 'zod/mini'
import { optional, required } from '../../../interface/fields.ts'
import { limitsSchema } from '../../../service/profile/store-schema.ts'

const name = required(z.string(), 'Name of the profile')
const apiKey = required(z.string(), 'Masked; `encrypted` if a passphrase opens it')
const vocabulary = z.record(z.string(), z.string())

const profileSchema = z.object({
  name,
  inUse: z.boolean(),
  baseUrl: z.string(),
  apiKey,
  vocabulary: optional(vocabulary, 'Words of the deployment by placeholder'),
})

function setting<Value extends z.ZodMiniType>(value: Value) {
  return z.object({
    value,
    from: required(z.string(), 'Origin of the value: flag, environment, profile, project file or none'),
  })
}

export const profileAddResult = {
  document: z.extend(profileSchema, {
    replaced: required(z.boolean(), 'True if a profile of this name existed'),
  }),
}

export const profileListResult = { document: z.object({ profiles: z.array(profileSchema) }) }

export const profileShowResult = {
  document: z.object({
    profile: setting(z.nullable(z.string())),
    baseUrl: setting(z.nullable(z.string())),
    apiKey: setting(z.nullable(apiKey)),
    vocabulary: setting(vocabulary),
    configFile: z.string(),
    projectFile: required(z.nullable(z.string()), 'The callyard.yaml that was found'),
  }),
}

export const profileProtectResult = {
  document: z.object({
    name,
    approval: required(z.nullable(z.literal('required')), 'null if scripts may change the service'),
    limits: required(z.nullable(limitsSchema), 'Limits of calls; null if there are none'),
  }),
}

export const profileSetKeyResult = { document: z.object({ name, apiKey }) }

export const profileUseResult = { document: z.object({ name, inUse: z.literal(true) }) }

export const profileRemoveResult = { document: z.object({ name, removed: z.literal(true) }) }
