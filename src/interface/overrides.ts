import * as z from 'zod/mini'
import { optional } from './fields.ts'

export const welcomeMessageModes = [
  'assistant-speaks-first',
  'assistant-waits-for-user',
  'automatic',
] as const

/** interface.md 2.6: used inside an assistant and on call creation. */
export const overridesSchema = z.strictObject({
  welcomeMessage: optional(z.string(), 'Greeting of the assistant'),
  welcomeMessageMode: optional(z.enum(welcomeMessageModes), 'Who speaks first'),
  welcomeMessageInterruptionsEnabled: optional(z.boolean(), 'Whether the user may interrupt the greeting'),
  recordingEnabled: optional(z.boolean(), 'Whether the call is recorded'),
  recordingPath: optional(z.string(), 'Where the recording is kept'),
  dynamicVariables: optional(
    z.record(z.string(), z.string()),
    'Variable name → text that replaces {{name}} in prompt and messages',
  ),
})

export type Overrides = z.infer<typeof overridesSchema>
