import * as z from 'zod/mini'
import { lazy } from '../lib/lazy.ts'
import { optional, optionalObject, someText } from './fields.ts'
import { vocabularySchema } from './vocabulary.ts'

const endpointPattern = /^(PATCH|PUT) (\/(?!\/)[^\s?#{}]*\{id\}[^\s?#{}]*)$/

/** callwright.yaml: the settings that a folder of assistant files shares. Not part of the service's interface. */
export const projectSchema = lazy(() =>
  z.strictObject({
    profile: optional(someText(), 'Profile to use in this folder'),
    baseUrl: optional(someText(), 'Base URL of the service'),
    vocabulary: z.optional(vocabularySchema),
    assistants: optional(
      z.enum(['keep', 'replace']),
      'Action of apply for a changed assistant, because the interface has no update: replace creates a new assistant with a new id',
      { default: 'keep' },
    ),
    endpoints: optionalObject('Endpoints that the interface does not publish and this deployment has', {
      updateAssistant: optional(
        endpoint(),
        'Endpoint of this deployment that updates an assistant: PATCH sends the changed fields, PUT the whole assistant',
        { pattern: endpointPattern.source },
      ),
    }),
  }),
)

export type Project = z.infer<ReturnType<typeof projectSchema>>

/** A method and a path with the id in it: `PATCH /assistants/v1/assistants/{id}`. */
interface Endpoint {
  readonly method: 'PATCH' | 'PUT'
  readonly path: string
}

/** @throws Error for an invalid text, which the schema never accepts. */
export function parseEndpoint(text: string): Endpoint {
  const [, method, path] = endpointPattern.exec(text) ?? []
  if ((method !== 'PATCH' && method !== 'PUT') || path === undefined) throw new Error('not an endpoint')
  return { method, path }
}

function endpoint() {
  return z.string().check(
    z.superRefine((text, context) => {
      if (endpointPattern.test(text)) return
      context.addIssue({
        code: 'custom',
        input: text,
        path: [],
        message: `endpoints.updateAssistant is ${JSON.stringify(text)}; allowed: PATCH or PUT, a space, and a path with {id} in it`,
        params: { code: 'wrong-format', hint: 'for example PATCH /assistants/v1/assistants/{id}' },
      })
    }),
  )
}
