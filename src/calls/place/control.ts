import type { RecordedEvent } from '../../events/recordings/index.ts'
import { callControlPath } from '../../files/formats/control-api.ts'
import { parseEndpoint } from '../../files/formats/project.ts'
import { projectFileName } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { type Api, pathSegment, type RawResponse } from '../../service/api/index.ts'
import { calledService } from './called-service.ts'
import type { CallDeps } from './deps.ts'

type Body = Readonly<Record<string, unknown>>

/** A request to a live call, with the body of the sandbox's control URL (docs/sandbox.md). */
export type CallCommand =
  | { readonly type: 'say'; readonly role: 'assistant' | 'user'; readonly text: string }
  | { readonly type: 'hangup' }

/**
 * Sends a command to a live call (interface.md 2.7, `monitor.controlUrl`): to the endpoint that callyard.yaml declares, or to that of
 * a sandbox. The interface publishes none.
 * @throws CallyardError `usage` if there is neither, and of the service or the network
 */
export async function sendCallCommand(
  api: Api,
  id: string,
  command: CallCommand,
  deps: CallDeps,
): Promise<RawResponse> {
  const { project } = await deps.settings()
  const declared = project?.settings.endpoints?.controlCall
  const service = await calledService(deps)
  if (declared === undefined && !(await service.isSandbox())) {
    throw new CallyardError(
      'usage',
      `the service at ${service.baseUrl} publishes no endpoint to control a call`,
      {
        hint: `if it has one, declare it in ${projectFileName}: endpoints: { controlCall: "POST ${callControlPath}" }`,
      },
    )
  }
  const { method, path } = parseEndpoint(declared ?? `POST ${callControlPath}`)
  const response = await api.request({ method, path: withId(path, id), body: command })
  if (response.failure !== undefined) throw response.failure
  return response
}

/**
 * Asks a sandbox for the events of a call. Returns undefined if the service is not a sandbox, or does not know the call.
 * @throws CallyardError of the network
 */
export async function fetchEvents(
  api: Api,
  id: string,
  deps: CallDeps,
): Promise<readonly RecordedEvent[] | undefined> {
  const { isSandbox } = await calledService(deps)
  if (!(await isSandbox())) return undefined
  const response = await api.request({ method: 'GET', path: withId(callControlPath, id) })
  const record = response.failure === undefined ? parseJson(response.body) : undefined
  return isObject(record) ? recordedEventsOf(record) : undefined
}

/** Converts a record (interface.md 2.7) of a sandbox to the last events of its call; `assistant` is the record of its assistant. */
export function recordedEventsOf(record: Body, assistant?: Body): RecordedEvent[] {
  const { customer, messages, phoneVendorDetails: line, direction, createdAt, updatedAt } = record
  const { from, to } = isObject(line) ? line : {}
  const [assistantNumber, userNumber] = direction === 'inbound' ? [to, from] : [from, to]
  // A record without tool calls is one of a call without any.
  const call = { toolCalls: [], ...record, assistantNumber, userNumber }
  const event = (at: unknown, message: Body) => ({
    kind: 'recorded' as const,
    version: 1 as const,
    at: String(at),
    headers: {},
    body: JSON.stringify({ message }),
  })
  return [
    event(createdAt, { type: 'conversation-update', call, customer, assistant, messages }),
    event(updatedAt, { type: 'status-update', call, customer, assistant }),
  ]
}

function withId(path: string, id: string): string {
  return path.replace('{id}', pathSegment(id))
}
