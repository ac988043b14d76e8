import type { RequestRecord, RequestSummary } from '../../../files/formats/control-api.ts'
import { dropOldest } from '../../../lib/drop-oldest.ts'
import { count } from '../../../lib/text/count.ts'
import { readDateTime } from '../../../lib/text/date-time.ts'
import { byId, chip, element, pageFailure, setText, timeElement } from '../dom.ts'
import { jsonView } from '../json-view.ts'
import { matcher } from '../page-model.ts'
import { createRowList, openingRow } from '../row-list.ts'
import type { ControlApi } from './control-api.ts'

/** Lists the requests to the sandbox, newest first; each expands to its headers, body and response. */
export function createRequestsView(api: ControlApi, onChange: () => void) {
  const filter = byId('request-filter', HTMLInputElement)
  const choices = document.querySelectorAll<HTMLInputElement>('input[name="answered"]')
  /** Requests by id, in order of arrival. */
  const requestsById = new Map<string, ShownRequest>()
  let version = 0
  const rows = createRowList<ShownRequest>({
    id: 'requests',
    others: 'earlier',
    keyOf: ({ version: itemVersion }) => itemVersion,
    createRow: ({ request }) => ({ row: requestRow(request, api) }),
  })

  /** A new request, or the response to a known one. */
  const addRequest = (request: RequestSummary) => {
    requestsById.set(request.requestId, { request, version: ++version })
    dropOldest(requestsById, maxRequests)
  }
  const clear = byId('clear-requests')
  filter.addEventListener('input', onChange)
  clear.addEventListener('click', () => {
    filter.value = ''
    for (const choice of choices) choice.checked = choice.value === 'all'
    filter.focus()
    onChange()
  })
  for (const choice of choices) choice.addEventListener('change', onChange)

  return {
    addRequest,
    /** Replaces all requests; oldest first. */
    replace(requests: readonly RequestSummary[]) {
      requestsById.clear()
      rows.clear()
      for (const request of requests) addRequest(request)
    },
    draw() {
      const matches = matcher(filter.value)
      const failedOnly = [...choices].some(({ checked, value }) => checked && value === 'failed')
      const visibleRequests = [...requestsById.values()]
        .filter(({ request }) => !failedOnly || isFailed(request))
        .filter(({ request }) => matches(textOf(request)))
        .reverse()
      const countText = count(requestsById.size, 'request')
      setText(
        byId('requests-count'),
        visibleRequests.length === requestsById.size
          ? countText
          : `${visibleRequests.length} of ${countText}`,
      )
      setText(byId('requests-note'), requestsById.size === 0 ? 'No requests yet.' : '')
      clear.hidden = requestsById.size === 0 || visibleRequests.length > 0
      rows.draw(visibleRequests)
    },
  }
}

/** Same limit as the sandbox. */
const maxRequests = 1000

interface ShownRequest {
  readonly request: RequestSummary
  /** Another one for each state of a request. */
  readonly version: number
}

function isFailed({ status, fault }: RequestSummary): boolean {
  return status === undefined || status >= 400 || fault !== undefined
}

/** Returns the text that the filter matches. */
function textOf({ method, path, status, fault, scope, call, requestId }: RequestSummary): string {
  return [method, path, status, fault, scope, call, requestId].join(' ')
}

function requestRow(request: RequestSummary, api: ControlApi): HTMLLIElement {
  const { requestId, method, path, status, fault, scope, at } = request
  return openingRow(
    `request-${requestId}`,
    [
      element('span', { class: 'number' }, method),
      element('span', { class: 'type' }, path),
      ...(scope === undefined ? [] : [element('span', { class: 'number' }, scope)]),
      ...(fault === undefined ? [] : [element('span', { class: 'mark' }, `fault: ${fault}`)]),
      element(
        'span',
        { class: isFailed(request) ? 'mark' : 'number' },
        `${isFailed(request) ? '✕ ' : ''}${status ?? 'no response'}`,
      ),
      timeElement(readDateTime(at) ?? 0),
    ],
    () => requestPanel(request, api),
  )
}

/** Headers, body and response are loaded on first use. */
function requestPanel(request: RequestSummary, api: ControlApi): HTMLElement {
  const panel = element('div', { class: 'panel' }, 'Loading')
  readRequest(request, api).then(
    details => panel.replaceChildren(...requestParts(details)),
    (error: unknown) => panel.replaceChildren(element('p', { class: 'mark' }, pageFailure(error, 'sandbox'))),
  )
  return panel
}

async function readRequest({ requestId }: RequestSummary, api: ControlApi): Promise<RequestRecord> {
  const query = new URLSearchParams({ id: requestId })
  const { requests } = await api.get<{ readonly requests: readonly RequestRecord[] }>(`requests?${query}`)
  const [request] = requests
  if (request === undefined) throw new Error('The sandbox no longer has this request.')
  return request
}

function requestParts({ requestId, call, headers, body, answer, cut }: RequestRecord): HTMLElement[] {
  const parts = Object.entries({ Headers: headers, Body: body, Response: answer })
  return [
    element(
      'p',
      { class: 'ids faint' },
      chip(requestId),
      ...(call === undefined ? [] : ['call', chip(call)]),
    ),
    ...(cut === true
      ? [element('p', { class: 'mark' }, 'The body or the response was too large to keep.')]
      : []),
    ...parts.flatMap(([label, value]) =>
      value === undefined ? [] : [element('h3', {}, label), jsonView(`${label} of ${requestId}`, value)],
    ),
  ]
}
