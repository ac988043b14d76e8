import { type Api, callPaths } from '../../service/api/index.ts'

type Body = Readonly<Record<string, unknown>>

/** The request that places a call, without its assistant and parameters. */
export interface CallRequest {
  readonly way: keyof typeof callPaths
  readonly path: string
  readonly body: Body
}

/** A call that the service has accepted. */
export interface PlacedCall {
  /** Undefined if the response to a followed call has none. */
  readonly id: string | undefined
  /** The service's word, or `placed`. */
  readonly status: string
  readonly response: Body
}

/** Returns the request of Start call (interface.md 4.1): from a number of the assistant to a user. */
export function startRequest({ from, to }: { readonly from: string; readonly to: string }): CallRequest {
  return { way: 'start', path: callPaths.start, body: { userNumber: to, assistantNumber: from } }
}

/** Returns the request of Create call (interface.md 4.2): from a phone number id to a customer. */
export function connectRequest(call: {
  readonly phoneNumberId: string
  readonly to: string
  readonly customerName: string | undefined
  readonly direction: string
}): CallRequest {
  const { phoneNumberId, to: number, customerName: name, direction } = call
  return {
    way: 'connect',
    path: callPaths.connect,
    body: { direction, phoneNumberId, customer: { number, name } },
  }
}

/**
 * Places a call. The POST is never repeated when its outcome is unknown: the phone would ring twice.
 * @param isFollowed the response may lack the id of the call
 * @throws CallyardError of the service or the network; `outcome` says whether the call may have been placed
 */
export async function placeCall(
  api: Api,
  { way, body }: Omit<CallRequest, 'path'>,
  { isFollowed }: { readonly isFollowed: boolean },
): Promise<PlacedCall> {
  if (way === 'start') {
    const response = await api.startCall(body, { isFollowed })
    return { id: response.sid, status: 'placed', response }
  }
  const response = await api.connectCall(body, { isFollowed })
  const status = typeof response.status === 'string' ? response.status : 'placed'
  return { id: response.id, status, response }
}
