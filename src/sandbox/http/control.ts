import * as z from 'zod/mini'
import { required, someText } from '../../interface/fields.ts'
import type { CallIntervention } from '../call/call-runner.ts'

/** What `monitor.controlUrl` takes; its shape is not published, so this is the sandbox's own. */
export const controlSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('say'),
    role: required(z.enum(['user', 'assistant']), 'Who says it'),
    text: required(someText(), 'What is said'),
  }),
  z.strictObject({ type: z.literal('hangup') }),
])

export function toIntervention(command: z.infer<typeof controlSchema>): CallIntervention {
  return command.type === 'say' ? command : { type: 'hang-up', by: 'control' }
}
