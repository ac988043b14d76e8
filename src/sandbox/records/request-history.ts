import type { RequestFilter, RequestRecord, RequestSummary } from '../../files/formats/control-api.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { isAtOrBelow } from '../../lib/net/address.ts'
import { redactSecretFields } from '../../lib/net/secrets.ts'

/** Request without a response yet. */
export interface OpenRequest {
  tookBody(text: string): void
  struckBy(fault: string): void
  answered(status: number, text: string): void
}

type Kept = { -readonly [Field in keyof RequestSummary]: RequestSummary[Field] } & {
  body?: string
  answer?: string
  bytes: number
}

const maxRequests = 1000
/** Limit for bodies and responses over all requests. */
const maxKeptBytes = 8 * 1024 * 1024

/** The latest requests to a world. Texts are kept as they came, and read when they are asked for. */
export function createRequestHistory(onAnswered: (request: RequestSummary) => void) {
  const history = new Set<Kept>()
  let total = 0

  const forget = () => {
    for (const request of history) {
      if (history.size <= maxRequests && total <= maxKeptBytes) return
      history.delete(request)
      total -= request.bytes
    }
  }
  const grow = (request: Kept, bytes: number) => {
    request.bytes += bytes
    // A request that was forgotten in the meantime no longer counts.
    if (!history.has(request)) return
    total += bytes
    forget()
  }
  const keepText = (request: Kept, field: 'body' | 'answer', text: string) => {
    const bytes = Buffer.byteLength(text)
    if (request.bytes + bytes > maxKeptBytes) {
      request.cut = true
      return
    }
    request[field] = text
    grow(request, bytes)
  }
  return {
    /** Unknown properties are absent, because tests compare whole requests. */
    begin(head: RequestSummary): OpenRequest {
      const { scope, ...facts } = head
      const call = /^\/calls\/v1\/conversations\/(CC-[^/?]+)/.exec(head.path)?.[1]
      const request: Kept = {
        ...facts,
        ...(scope === undefined ? {} : { scope }),
        ...(call === undefined ? {} : { call }),
        bytes: 0,
      }
      history.add(request)
      grow(request, JSON.stringify(head).length)
      return {
        tookBody: text => keepText(request, 'body', text),
        struckBy(fault) {
          request.fault = fault
        },
        answered(status, text) {
          request.status = status
          const call = request.call ?? callPlacedBy(request, text)
          if (call !== undefined) request.call = call
          keepText(request, 'answer', text)
          const { bytes: _, body: __, answer: ___, ...summary } = request
          onAnswered(summary)
        },
      }
    },
    /** The oldest first. */
    list: (filter: RequestFilter = {}): RequestRecord[] =>
      [...history].filter(request => matches(request, filter)).map(toRecord),
    clear() {
      history.clear()
      total = 0
    },
  }
}

function matches(request: Kept, { path, method, scope, call, id }: RequestFilter): boolean {
  return (
    (path === undefined || isAtOrBelow(pathOf(request), path)) &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (scope === undefined || request.scope === scope) &&
    (call === undefined || request.call === call) &&
    (id === undefined || request.requestId === id)
  )
}

function pathOf({ path }: RequestSummary): string {
  return path.split('?', 1)[0] ?? path
}

/** interface.md 4.1 returns a sid, 4.2 the call. */
function callPlacedBy(request: Kept, answer: string): string | undefined {
  if (request.status !== 200 || !isAtOrBelow(pathOf(request), '/calls/v1/conversations')) return undefined
  const value = parseJson(answer)
  return isObject(value) ? [value.sid, value.id].find(id => typeof id === 'string') : undefined
}

function toRecord({ bytes: _, body, answer, ...request }: Kept): RequestRecord {
  return {
    ...request,
    ...(body === undefined ? {} : { body: jsonOf(redactSecretFields(body)) }),
    ...(answer === undefined ? {} : { answer: jsonOf(redactSecretFields(answer)) }),
  }
}

/** Returns the value of a JSON text, or the text itself if it is not JSON. */
function jsonOf(text: string): unknown {
  const value = parseJson(text)
  return value === undefined ? text : value
}
