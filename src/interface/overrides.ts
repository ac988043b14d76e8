import * as z from 'zod'

export const welcomeMessageModes = [
  'assistant-speaks-first',
  'assistant-waits-for-user',
  'automatic',
] as const

/** interface.md 2.6: used inside an assistant and on call creation. */
export const overridesSchema = z.strictObject({
  welcomeMessage: z.string().optional().describe('Welcome message'),
  welcomeMessageMode: z.enum(welcomeMessageModes).optional().describe('Who speaks first'),
  welcomeMessageInterruptionsEnabled: z
    .boolean()
    .optional()
    .describe('When false the user cannot interrupt the welcome message'),
  recordingEnabled: z.boolean().optional().describe('Whether the call is recorded'),
  recordingPath: z.string().optional().describe('Where the recording is kept'),
  dynamicVariables: z
    .record(z.string(), z.string())
    .optional()
    .describe('Variable name → text that replaces {{name}} in prompt and messages'),
})

export type Overrides = z.infer<typeof overridesSchema>
