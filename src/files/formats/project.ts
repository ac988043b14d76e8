import * as z from 'zod/mini'
import { optional, optionalObject, someText } from '../../interface/fields.ts'
import { vocabularySchema } from '../../interface/vocabulary.ts'
import { callOutcomes, type OutcomeField } from '../../interface/words.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'

const pathPattern = String.raw`(\/(?!\/)[^\s?#{}]*\{id\}[^\s?#{}]*)`

/** callyard.yaml: the settings that a folder of assistant files shares. Not part of the service's interface. */
export const projectSchema = lazy(() =>
  z.strictObject({
    profile: optional(someText(), 'Profile to use in this folder'),
    baseUrl: optional(someText(), 'Base URL of the service'),
    vocabulary: z.optional(vocabularySchema()),
    assistants: optional(
      z.enum(['keep', 'replace']),
      'Action of apply for a changed assistant, because the interface has no update: replace creates a new assistant with a new id',
      { default: 'keep' },
    ),
    endpoints: optionalObject(
      'Endpoints that the interface does not publish and this deployment has',
      () => ({
        updateAssistant: endpoint(
          'updateAssistant',
          ['PATCH', 'PUT'],
          '/assistants/v1/assistants/{id}',
          'Endpoint of this deployment that updates an assistant: PATCH sends the changed fields, PUT the whole assistant',
        ),
        controlCall: endpoint(
          'controlCall',
          ['POST', 'PUT'],
          '/calls/v1/conversations/{id}/control',
          'Endpoint of this deployment that speaks in a call and ends it, with the bodies of the sandbox',
        ),
      }),
    ),
    outcomes: optionalObject(
      'Outcomes that words of this deployment mean, by the field of the event',
      () =>
        ({
          status: outcomeWords('Words of call.status'),
          phoneCallStatus: outcomeWords('Words of call.phoneCallStatus'),
          callEndTriggerBy: outcomeWords('Words of call.callEndTriggerBy'),
          type: outcomeWords('Types of webhook events'),
        }) satisfies Record<OutcomeField, unknown>,
    ),
    serviceVariables: optional(
      z.array(someText()),
      'Variables that the service sets, such as now: a list or a call need not set them',
    ),
    knowledgeBases: optional(
      z.record(someText(), someText()),
      'Ids of knowledge bases that are a CSV file, by the name of the file',
    ),
    log: optional(
      z.union([z.literal(false), z.enum(['names', 'values'])]),
      'What the call log records of variables: their names, or their values as well; false records no call',
      { default: 'names' },
    ),
  }),
)

export type Project = Infer<typeof projectSchema>

/** Splits an endpoint into its method and its path with the id in it: `PATCH /assistants/v1/assistants/{id}`. */
export function parseEndpoint(text: string): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = text.split(' ')
  return { method, path }
}

function outcomeWords(description: string) {
  return optional(z.record(someText(), z.enum(callOutcomes)), description)
}

function endpoint(name: string, methods: readonly string[], example: string, description: string) {
  const pattern = new RegExp(`^(${methods.join('|')}) ${pathPattern}$`)
  const schema = z.string().check(
    z.superRefine((text, context) => {
      if (pattern.test(text)) return
      context.addIssue({
        code: 'custom',
        input: text,
        path: [],
        message: `endpoints.${name} is ${JSON.stringify(text)}; allowed: ${methods.join(' or ')}, a space, and a path with {id} in it`,
        params: { code: 'wrong-format', hint: `for example ${methods[0]} ${example}` },
      })
    }),
  )
  return optional(schema, description, { pattern: pattern.source })
}
