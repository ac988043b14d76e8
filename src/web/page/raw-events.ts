import { isObject, parseJson } from '../../lib/json.ts'
import { hasFailed } from '../delivery.ts'
import type {
  ResendResult,
  ShownAddress,
  ShownDelivery,
  ShownEvent,
  ShownTarget,
  StreamOpened,
} from '../wire.ts'
import { onlineControls } from './connection-status.ts'
import { curlCommand } from './curl-command.ts'
import { byId, copyText, element, pageFailure, setAttribute, setText, textBlock, timeElement } from './dom.ts'
import { changeWords, jsonView } from './json-view.ts'
import { byteSize, deliveryWords, type SelectedCall } from './page-model.ts'
import { createRowList, openingRow } from './row-list.ts'

interface RawEventsOptions {
  /** Deliveries of the event. */
  linesOf(event: ShownEvent): readonly DeliveryLine[]
  /** Body of the event and its actions. */
  open(call: number, event: ShownEvent): HTMLElement
}

export interface DeliveryLine {
  readonly words: string
  readonly failed: boolean
}

/** Events of a tail; `currentStream` is the tail's description of itself. */
export function createTailEvents(currentStream: () => StreamOpened | undefined) {
  return createRawEvents({
    linesOf: ({ deliveries }) => deliveryLines(deliveries, currentStream()?.targets ?? []),
    open: (call, event) => eventPanel(call, event, currentStream()),
  })
}

/** The events of a call as they came, the newest first; each opens to its body. */
export function createRawEvents({ linesOf, open }: RawEventsOptions) {
  const note = byId('events-note')
  const choice = byId('event-type', HTMLSelectElement)
  const types: string[] = []
  let current: SelectedCall | undefined
  const rows = createRowList<ShownEvent>({
    id: 'events',
    others: 'earlier',
    // A webhook of a sandbox has no size until it is sent.
    keyOf: ({ number, bytes }) => `${number} ${bytes > 0}`,
    createRow(first) {
      const row = eventRow(current?.key ?? 0, first, open)
      return { row, update: event => drawDeliveries(row, linesOf(event)) }
    },
  })

  const drawTypes = ({ events }: SelectedCall) => {
    for (const { type } of events) {
      if (types.length === maxTypes) return
      if (types.includes(type)) continue
      // The value becomes an attribute: the place of the type in a list is harmless.
      choice.append(element('option', { value: String(types.push(type)) }, type))
    }
  }
  const isChosen = (event: ShownEvent) => {
    if (choice.value === failedOnly) return linesOf(event).some(({ failed }) => failed)
    return choice.value === '' || event.type === types[Number(choice.value) - 1]
  }
  const drawRows = () => {
    if (current === undefined) return
    const { events } = current
    const visibleEvents = events.filter(isChosen)
    rows.draw(visibleEvents.reverse())
    choice.hidden = events.length === 0
    byId('failed-deliveries').hidden = !events.some(event => linesOf(event).length > 0)
    const lost = (events[0]?.number ?? 1) - 1
    const notes = [
      ...(events.length === 0 ? ['None.'] : []),
      ...(choice.value === failedOnly && visibleEvents.length === 0 ? ['No failed deliveries.'] : []),
      ...(lost === 0 ? [] : [`The first ${lost} are no longer available.`]),
    ]
    setText(note, notes.join(' '))
    note.hidden = notes.length === 0
  }

  choice.addEventListener('change', drawRows)

  return {
    draw(call: SelectedCall, isOther: boolean) {
      if (isOther) {
        // Another run of a tail numbers its calls and events as this one did.
        rows.clear()
        choice.length = fixedChoices
        types.length = 0
      }
      current = call
      drawTypes(call)
      drawRows()
    },
  }
}

const maxTypes = 100
/** The choices *All types* and *Failed deliveries*. */
const fixedChoices = 2
const failedOnly = 'failed'

function eventRow(call: number, event: ShownEvent, open: RawEventsOptions['open']): HTMLLIElement {
  const { number, type, at, bytes, news, odd } = event
  const row = openingRow(
    `event-${call}-${number}`,
    [
      element('span', { class: news === 0 ? 'type known' : 'type' }, type),
      ...(news === null
        ? []
        : [element('span', { class: 'number' }, news === 0 ? 'nothing new' : `${news} new`)]),
      ...(bytes === 0 ? [] : [element('span', { class: 'number' }, byteSize(bytes))]),
      timeElement(at),
    ],
    () => open(call, event),
  )
  if (odd.length > 0) row.append(element('p', { class: 'odd mark' }, odd.join(', ')))
  return row
}

/** One line for each target; without its address where there is only one. */
function deliveryLines(
  deliveries: readonly ShownDelivery[],
  targets: readonly ShownTarget[],
): DeliveryLine[] {
  return deliveries.map(delivery => {
    const { url = '' } = targets.find(({ number }) => number === delivery.target) ?? {}
    const words = deliveryWords(delivery)
    return {
      words: targets.length === 1 ? `forwarded: ${words}` : `${url}: ${words}`,
      failed: hasFailed(delivery),
    }
  })
}

function drawDeliveries(row: HTMLLIElement, lines: readonly DeliveryLine[]): void {
  const existingList = row.querySelector(':scope > .deliveries')
  if (lines.length === 0) {
    existingList?.remove()
    return
  }
  const list = existingList ?? element('ul', { class: 'deliveries' })
  const listText = lines.map(({ words }) => words).join('\n')
  if (list.getAttribute('data-shown') === listText) return
  setAttribute(list, 'data-shown', listText)
  list.replaceChildren(
    ...lines.map(({ words, failed }) =>
      element('li', failed ? { class: 'mark' } : {}, `${failed ? '✕ ' : ''}${words}`),
    ),
  )
  if (existingList === null) row.querySelector(':scope > button')?.after(list)
}

/** The body of an event, and what can be done with it. */
function eventPanel(call: number, event: ShownEvent, stream: StreamOpened | undefined): HTMLElement {
  const notice = element('div', { class: 'told', role: 'status' })
  const say = (...parts: HTMLElement[]) => {
    notice.replaceChildren(...parts)
    // The buttons may be the last that is seen of a long panel.
    notice.scrollIntoView({ block: 'nearest' })
  }
  const name = `Body of event ${event.number}`
  const body = element('div', {}, textBlock(name, 'Loading'))
  const copy = element('button', { type: 'button' }, 'Copy as curl')
  const again = element('button', { type: 'button' }, 'Resend')
  const targets = (stream?.targets ?? []).filter(({ type }) => type === null || type === event.type)
  const which = `call=${call}&event=${event.number}`
  const bodyOf = (number: number) =>
    ask(`body?call=${call}&event=${number}`, eventGone).then(response => response.text())
  const bodyText = bodyOf(event.number)
  // It may no longer be kept.
  const before = event.number === 1 ? undefined : bodyOf(event.number - 1).catch(() => undefined)
  const sayFailure = (error: unknown) => say(element('p', { class: 'failed' }, pageFailure(error, 'tail')))
  Promise.all([bodyText, before]).then(
    ([text, earlier]) => body.replaceChildren(...bodyParts(event.number, text, earlier)),
    (error: unknown) => body.replaceChildren(textBlock(name, pageFailure(error, 'tail'))),
  )

  copy.addEventListener('click', async () => {
    const [target] = targets
    try {
      const { url, headers } = target === undefined ? listenerOf(stream) : await withAddress(target)
      const command = curlCommand({ url, contentType: event.contentType, body: await bodyText })
      const isComplete = target !== undefined || stream?.stream == null
      say(
        ...(await copyText(command, 'curl command')),
        ...(isComplete ? [] : [element('p', {}, `Replace ${relayUrl} with the address of the relay.`)]),
        ...missingHeaders(headers),
      )
    } catch (error) {
      sayFailure(error)
    }
  })
  if (targets.length === 0) again.setAttribute('aria-disabled', 'true')
  let sending = false
  again.addEventListener('click', async () => {
    if (targets.length === 0) {
      say(element('p', {}, `No forward target accepts ${event.type}. ${stream?.hints.forward ?? ''}`))
      return
    }
    if (sending) return
    sending = true
    say(element('p', {}, 'Sending'))
    try {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
      const response = await ask(`resend?${which}`, eventGone, post)
      const { results }: { readonly results: readonly ResendResult[] } = await response.json()
      say(...results.flatMap(outcome))
    } catch (error) {
      sayFailure(error)
    }
    sending = false
  })
  return element(
    'div',
    { class: 'panel' },
    element('div', { class: 'actions' }, copy, onlineControls(again)),
    notice,
    body,
  )
}

const eventGone = 'This event is no longer available.'

/** @throws Error with these words where the tail no longer has it */
async function ask(url: string, goneMessage: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(goneMessage)
  return response
}

/** Stands for the address of a relay, which its stream does not contain. */
const relayUrl = 'RELAY_URL'

/** Returns the address to send events to, so that they are shown here. */
export function eventAddress(eventPath: string, stream: string | null): string {
  return stream === null ? `${location.origin}${eventPath}` : relayUrl
}

/** Returns the address of events and its required headers. */
function listenerOf(opened: StreamOpened | undefined): ShownAddress {
  const { eventPath = '/', stream = null, requiredHeader = null } = opened ?? {}
  const url = eventAddress(eventPath, stream)
  return { url, headers: requiredHeader === null ? [] : [requiredHeader] }
}

/** The query of an address may hold a secret: the page gets it where it is copied, and shows it nowhere. */
async function withAddress({ number, headers }: ShownTarget): Promise<ShownAddress> {
  const response = await ask(`address?target=${number}`, 'The tail no longer has this target.')
  const { url }: ShownTarget = await response.json()
  return { url, headers }
}

function missingHeaders(names: readonly string[]): HTMLElement[] {
  if (names.length === 0) return []
  const flags = names.map(name => `-H '${name}: …'`).join(' ')
  const values = names.length === 1 ? 'the value' : 'the values'
  return [element('p', {}, `Add ${flags}: this page does not know ${values}.`)]
}

function outcome({ url, outcome: result }: ResendResult): HTMLElement[] {
  if ('reason' in result) return [element('p', { class: 'failed' }, `${url}: ${result.reason}`)]
  const { status, milliseconds, body } = result
  const failed = status < 200 || status > 299
  return [
    element(
      'p',
      failed ? { class: 'failed' } : {},
      `${url} responded ${status} in ${Math.round(milliseconds)} ms`,
    ),
    ...(body === '' ? [] : [textBlock(`Response of ${url}`, body)]),
  ]
}

/** Returns a body with its changes since the previous event. Bodies that are not objects are shown unchanged. */
export function bodyParts(number: number, text: string, earlier: string | undefined): HTMLElement[] {
  const name = `Body of event ${number}`
  const value = parseJson(text)
  if (!isObject(value)) return [textBlock(name, text)]
  const before = earlier === undefined ? undefined : parseJson(earlier)
  if (!isObject(before)) return [jsonView(name, value)]
  const words = `Since event ${number - 1}: ${changeWords(value, before)}`
  return [element('p', { class: 'faint' }, words), jsonView(name, value, before)]
}
