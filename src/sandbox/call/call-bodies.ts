import * as z from 'zod/mini'
import { overridesSchema } from '../../interface/overrides.ts'
import { directions } from '../../interface/words.ts'

const assistantParams = {
  assistant: z.optional(z.record(z.string(), z.unknown())),
  assistantId: z.optional(z.string()),
  assistantOverrides: z.optional(overridesSchema),
  metadata: z.optional(z.record(z.string(), z.unknown())),
}

/** interface.md 4.1 and 4.2 as the sandbox reads them, after the interface's own schemas passed them. */
export const startCallBody = z.object({
  userNumber: z.string(),
  assistantNumber: z.string(),
  ...assistantParams,
})
export const connectCallBody = z.object({
  direction: z.enum(directions),
  phoneNumberId: z.string(),
  customer: z.object({ number: z.string(), name: z.optional(z.string()) }),
  ...assistantParams,
})

export type StartCallBody = z.infer<typeof startCallBody>
export type ConnectCallBody = z.infer<typeof connectCallBody>
