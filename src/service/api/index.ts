/** Client of the service: a function for each endpoint (interface.md 4), one attempt and its retry by the effect that a request may have had, redaction of secrets. */
import type { ApiOptions } from './api.ts'
import type { Endpoints } from './endpoints.ts'

export type { ApiOptions, RawResponse, Retry, SentRequest } from './api.ts'
export { apiHints } from './api-hints.ts'
export { parseBaseUrl, pathSegment } from './base-url.ts'
export { callPaths } from './endpoints.ts'
export { isNotFound } from './failures.ts'
export { hasKnownOutcome } from './known-outcome.ts'
export { type NotStored, notStoredSchema } from './not-stored-schema.ts'
export { placesCall, writesBelowCalls } from './places-call.ts'
export { apiKeyProblem, createRedactor, maskKey } from './redact.ts'
export { isSandboxTeam, sandboxTeam } from './sandbox-team.ts'

export const loadProbe = () => import('./probe.ts')

export interface Api extends Endpoints {
  /** Closes kept-alive connections so that the process can end. */
  close(): Promise<void>
}

/**
 * The service. Nothing is loaded or opened before the first request. Every function throws CallyardError: `unauthorized`,
 * `refused`, `unreachable` or `cancelled`, with `details.outcome` (see failures.ts).
 */
export function createApi(options: ApiOptions): Api {
  let api: Promise<Api> | undefined
  const client = () => {
    api ??= open(options)
    return api
  }
  return {
    startCall: async (body, how) => (await client()).startCall(body, how),
    connectCall: async (body, how) => (await client()).connectCall(body, how),
    createAssistant: async body => (await client()).createAssistant(body),
    createTool: async body => (await client()).createTool(body),
    updateTool: async (id, body) => (await client()).updateTool(id, body),
    updateAssistant: async (id, endpoint, body) => (await client()).updateAssistant(id, endpoint, body),
    insertFaq: async (id, faq) => (await client()).insertFaq(id, faq),
    updateFaq: async (id, faq) => (await client()).updateFaq(id, faq),
    request: async request => (await client()).request(request),
    close: async () => (await api)?.close(),
  }
}

async function open(options: ApiOptions): Promise<Api> {
  const [{ createHttp }, { createEndpoints }] = await Promise.all([
    import('./http.ts'),
    import('./endpoints.ts'),
  ])
  const http = createHttp(options)
  return { ...createEndpoints(http), close: http.close }
}
