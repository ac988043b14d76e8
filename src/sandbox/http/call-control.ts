import * as z from 'zod/mini'
import { named, required, someText } from '../../interface/fields.ts'
import type { ControlCommand } from '../engine/call-state.ts'
import type { SandboxRoute } from './route-table.ts'

/** The path of `monitor.controlUrl`. */
export const controlPath = '/calls/v1/conversations/{id}/control'

/** Health check; needs no key. */
export const healthPath = '/health'

/** What `monitor.controlUrl` takes; its shape is not published, so this is the sandbox's own. */
export const controlSchema = named(
  'ControlCommand',
  z.discriminatedUnion('type', [
    z.strictObject({
      type: required(z.literal('say'), 'Says a text'),
      role: required(z.enum(['user', 'assistant']), 'Who says it'),
      text: required(someText(), 'What is said'),
    }),
    z.strictObject({
      type: required(z.literal('interrupt'), 'Says a text as the caller while the assistant speaks next'),
      text: required(someText(), 'What is said'),
    }),
    z.strictObject({
      type: required(z.literal('keys'), 'Presses keys'),
      keys: required(
        z.string().check(z.regex(/^[0-9*#]{1,32}$/)),
        'Keys that the caller presses: 0-9, * and #',
      ),
    }),
    z.strictObject({
      type: required(z.literal('silence'), 'Says nothing for a while'),
      seconds: required(z.number().check(z.positive(), z.maximum(7200)), 'How long the caller says nothing'),
    }),
    z.strictObject({ type: required(z.literal('hangup'), 'Ends the call') }),
  ]),
)

/** Does in a call what the body says. */
export const controlCall = {
  method: 'POST',
  body: () => controlSchema,
  async handle({ calls }, { id, body }) {
    calls.intervene(id, toCommand(controlSchema.parse(body)))
    return { message: 'done' }
  },
} as const satisfies Omit<SandboxRoute, 'path'>

function toCommand(command: z.infer<typeof controlSchema>): ControlCommand {
  if (command.type === 'silence') return { type: 'silence', milliseconds: command.seconds * 1000 }
  return command.type === 'hangup' ? { type: 'hang-up', by: 'control' } : command
}
