import * as z from 'zod/mini'
import { callAnswer } from '../../interface/answers.ts'
import { named, required, someText } from '../../interface/fields.ts'
import { openApi } from '../../interface/openapi.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { serverSchema } from '../webhooks/delivery.ts'
import { controlPath, controlSchema } from './call-control.ts'

const tag = { name: 'Sandbox', description: 'What the sandbox has and the interface does not publish' }
const pathParameters = z.object({ id: required(someText(), 'Id of the call') })

/** The document of the interface, with what the sandbox adds to it. */
export function sandboxOpenApi(vocabulary: Vocabulary): Record<string, unknown> {
  return openApi({
    vocabulary,
    // Relative to the document: the sandbox, by any of its names.
    servers: [{ url: '/' }],
    replaced: [serverSchema],
    more: {
      tag,
      operations: [
        {
          id: 'identify',
          method: 'GET',
          path: '/',
          summary: 'Which sandbox this is',
          tag: tag.name,
          isOpen: true,
          answer: identityAnswer,
        },
        {
          id: 'showCall',
          method: 'GET',
          path: controlPath,
          summary: 'Show a call',
          description: 'monitor.controlUrl: the record of the call, and what was said.',
          tag: tag.name,
          pathParameters,
          answer: callAnswer(vocabulary),
          problems: [404],
        },
        {
          id: 'controlCall',
          method: 'POST',
          path: controlPath,
          summary: 'Control a call',
          description: 'monitor.controlUrl: speak in the call, press keys, say nothing, or hang up.',
          tag: tag.name,
          pathParameters,
          body: controlSchema,
          answer: doneAnswer,
          problems: [404, 409],
        },
      ],
    },
  })
}

const identityAnswer = named(
  'Identity',
  z.object({
    service: required(z.string(), 'Always callwright sandbox'),
    teamId: required(z.string(), 'Team of its first API key'),
  }),
)

export const doneAnswer = named('Done', z.object({ message: required(z.string(), 'Always done') }))
