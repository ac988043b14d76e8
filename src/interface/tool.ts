import * as z from 'zod/mini'
import { type Infer, lazy } from '../lib/lazy.ts'
import { looseSchema, named, optional, primitives, refusedFields, required, strictSchema } from './fields.ts'

const updatable = lazy(() => ({
  async: optional(
    primitives.flag(),
    'Whether the assistant continues speaking instead of waiting for the server’s response',
    {
      default: false,
    },
  ),
  function: optional(
    z.record(z.string(), z.unknown()),
    'Definition of the function, for example { name, description, parameters }',
  ),
  messages: optional(
    z.array(
      looseSchema('ToolMessage', {
        type: required(z.string(), 'Moment of the message, for example request-start'),
        content: required(z.string(), 'Text of the message'),
      }),
    ),
    'Messages that are spoken when the tool starts, completes, fails or is slow',
  ),
  server: optional(
    z.record(z.string(), z.unknown()),
    'Your server, which runs the tool, for example { url }',
  ),
}))

/** interface.md 2.5 and 4.4: the body of Create tool. */
export const toolSchema = strictSchema('Tool', () => ({
  type: required(z.enum(['function']), 'Kind of tool; only function exists'),
  ...updatable(),
}))

/** interface.md 4.5: the body of Update tool; `type` is not part of it. */
export const toolUpdateSchema = lazy(() =>
  named('ToolUpdate', z.strictObject(updatable())).register(refusedFields, {
    type: 'the type of a tool cannot be changed: type is not part of an update; remove it',
  }),
)
/** interface.md 2.3: each key switches one built-in tool. */
export const predefinedToolsSchema = strictSchema('PredefinedTools', () => ({
  knowledgeBase: optional(primitives.flag(), 'Search knowledge bases for answers'),
  endCall: optional(primitives.flag(), 'End the call'),
  appointment: optional(primitives.flag(), 'Book appointments'),
  volumeControl: optional(primitives.flag(), 'Change the volume'),
  waitList: optional(primitives.flag(), 'Put the user on a wait list'),
  callForward: optional(primitives.flag(), 'Forward the call'),
}))

/** interface.md 2.3, the keys of assistantPredefinedTools. */
export type PredefinedToolName = keyof Infer<typeof predefinedToolsSchema>

/** Names of the functions that a model calls. */
export const predefinedToolNames = {
  endCall: 'end_call',
  callForward: 'forward_call',
  appointment: 'book_appointment_slot',
  waitList: 'join_wait_list',
  volumeControl: 'change_volume',
  knowledgeBase: 'search_knowledge_base',
} as const satisfies Record<PredefinedToolName, string>
