import type { Endpoint } from '../../interface/endpoints.ts'
import { openApi } from '../../interface/openapi.ts'
import { openApiDocument } from '../../interface/openapi-document.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { serverSchema } from '../webhooks/delivery.ts'
import { checkHealth, sandboxTag } from './call-control.ts'

/** Returns the OpenAPI 3.1 document of the control API. */
export function controlOpenApi(routes: readonly Endpoint[], vocabulary: Vocabulary): Record<string, unknown> {
  const tag = 'Control'
  return openApiDocument({
    title: 'Control of a callyard sandbox',
    version: 'v1',
    description:
      'What a test needs to know of a sandbox and to do to it: its clock, faults, requests, records, snapshots and worlds.',
    servers: [{ url: '/' }],
    tags: [{ name: tag, description: 'Of the world that ?world= names, or of the first one' }],
    security: {
      name: 'controlToken',
      description: 'The control token that sandbox start printed (CALLYARD_SANDBOX_TOKEN)',
    },
    endpoints: [
      { ...checkHealth, tag },
      ...routes.map(route => ({ ...route, problems: [400, 403, 404, ...(route.problems ?? [])] as const })),
    ],
    vocabulary,
  })
}

/** Returns the OpenAPI 3.1 document of the interface with the endpoints that the sandbox adds. */
export function sandboxOpenApi(added: readonly Endpoint[], vocabulary: Vocabulary): Record<string, unknown> {
  return openApi({
    vocabulary,
    // Relative to the document, so that each name of the sandbox works.
    servers: [{ url: '/' }],
    replaced: [serverSchema()],
    more: {
      tag: { name: sandboxTag, description: 'What the sandbox has and the interface does not publish' },
      endpoints: added,
    },
  })
}
