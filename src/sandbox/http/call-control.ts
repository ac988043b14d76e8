import * as z from 'zod/mini'
import { callControlPath } from '../../files/formats/control-api.ts'
import type { Endpoint } from '../../interface/endpoints.ts'
import { named, required, someText } from '../../interface/fields.ts'
import type { ControlCommand } from '../engine/call-state.ts'
import type { SandboxRoute } from './route-table.ts'

export const sandboxTag = 'Sandbox'

export const checkHealth = {
  id: 'checkHealth',
  method: 'GET',
  path: '/health',
  tag: sandboxTag,
  summary: 'Check that the sandbox takes requests',
  isOpen: true,
  response: () => named('Health', z.object({ status: required(z.string(), 'Always ok') })),
} as const satisfies Endpoint

/** Body for `monitor.controlUrl`; its shape is not published, so this is the sandbox's own. */
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

const doneSchema = named('Done', z.object({ message: required(z.string(), 'Always done') }))

const showCall = {
  id: 'showCall',
  method: 'GET',
  path: callControlPath,
  tag: sandboxTag,
  summary: 'Show a call',
  description: 'monitor.controlUrl: the record of the call, and what was said.',
  idOf: 'Id of the call',
  response: ({ callResponse: callAnswer }, vocabulary) => callAnswer(vocabulary),
  problems: [404],
  handle: async ({ calls }, { id }) => calls.state(id),
} as const satisfies SandboxRoute

export const controlCall = {
  id: 'controlCall',
  method: 'POST',
  path: callControlPath,
  tag: sandboxTag,
  summary: 'Control a call',
  description: 'monitor.controlUrl: speak in the call, press keys, say nothing, or hang up.',
  idOf: 'Id of the call',
  body: () => controlSchema,
  response: () => doneSchema,
  problems: [404, 409],
  async handle({ calls }, { id, body }) {
    calls.intervene(id, toCommand(controlSchema.parse(body)))
    return { message: 'done' }
  },
} as const satisfies SandboxRoute

export const callControlRoutes: readonly SandboxRoute[] = [showCall, controlCall]

function toCommand(command: z.infer<typeof controlSchema>): ControlCommand {
  if (command.type === 'silence') return { type: 'silence', milliseconds: command.seconds * 1000 }
  return command.type === 'hangup' ? { type: 'hang-up', by: 'control' } : command
}
