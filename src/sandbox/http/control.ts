import * as z from 'zod/mini'
import { required, someText } from '../../interface/fields.ts'
import type { ControlCommand } from '../call/call-runner.ts'

/** What `monitor.controlUrl` takes; its shape is not published, so this is the sandbox's own. */
export const controlSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('say'),
    role: required(z.enum(['user', 'assistant']), 'Who says it'),
    text: required(someText(), 'What is said'),
  }),
  z.strictObject({
    type: z.literal('keys'),
    keys: required(
      z.string().check(z.regex(/^[0-9*#]{1,32}$/)),
      'Keys that the caller presses: 0-9, * and #',
    ),
  }),
  z.strictObject({
    type: z.literal('silence'),
    seconds: required(z.number().check(z.positive(), z.maximum(7200)), 'How long the caller says nothing'),
  }),
  z.strictObject({ type: z.literal('hangup') }),
])

export function toIntervention(command: z.infer<typeof controlSchema>): ControlCommand {
  if (command.type === 'silence') return { type: 'silence', milliseconds: command.seconds * 1000 }
  return command.type === 'hangup' ? { type: 'hang-up', by: 'control' } : command
}
