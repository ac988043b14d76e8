import type { ShownEvent } from '../wire.ts'
import { byId, element, setAttribute, setText, timeElement } from './dom.ts'
import { type EventActions, eventPanel } from './event-panel.ts'
import type { SelectedCall } from './page-model.ts'
import { destination } from './roving.ts'
import { byteSize } from './shown-times.ts'

export interface RawEventsView {
  draw(call: SelectedCall, whole: boolean): void
}

/** The events of a call as they came, the newest first; each opens to its body and what can be done with it. */
export function createRawEvents(actions: EventActions): RawEventsView {
  const list = byId('events', HTMLOListElement)
  const note = byId('events-note', HTMLElement)
  const more = byId('more-events', HTMLButtonElement)
  const choice = byId('event-type', HTMLSelectElement)
  const rows = new Map<number, HTMLLIElement>()
  const types: string[] = []
  let current: SelectedCall | undefined
  let room = eventsAtOnce

  const drawTypes = ({ events }: SelectedCall) => {
    for (const { type } of events) {
      if (types.length === maxTypes) return
      if (types.includes(type)) continue
      // The value becomes an attribute: the place of the type in a list is harmless.
      choice.append(element('option', { value: String(types.push(type)) }, type))
    }
  }
  const isChosen = ({ type }: ShownEvent) => choice.value === '' || type === types[Number(choice.value) - 1]
  const drawRows = () => {
    if (current === undefined) return
    const { events, key } = current
    const chosen = events.filter(isChosen)
    const visible = chosen.slice(-room).reverse()
    const numbers = new Set(visible.map(({ number }) => number))
    for (const [number, row] of rows) {
      if (numbers.has(number)) continue
      row.remove()
      rows.delete(number)
    }
    let next = list.firstElementChild
    for (const event of visible) {
      const row = rows.get(event.number) ?? eventRow(key, event, actions)
      rows.set(event.number, row)
      if (row === next) next = next.nextElementSibling
      else list.insertBefore(row, next)
    }
    const stops = [...list.querySelectorAll<HTMLButtonElement>(':scope > li > button')]
    if (!stops.some(({ tabIndex }) => tabIndex === 0) && stops[0] !== undefined) stops[0].tabIndex = 0
    const lost = (events[0]?.number ?? 1) - 1
    setText(note, lost === 0 ? '' : `The first ${lost} are no longer kept.`)
    note.hidden = lost === 0
    more.hidden = chosen.length <= room
    setText(more, `Show ${Math.min(chosen.length - room, eventsAtOnce)} earlier`)
  }

  choice.addEventListener('change', drawRows)
  more.addEventListener('click', () => {
    room += eventsAtOnce
    drawRows()
  })
  list.addEventListener('keydown', event => {
    const stops = [...list.querySelectorAll<HTMLButtonElement>(':scope > li > button')]
    const place = event.target instanceof HTMLButtonElement ? stops.indexOf(event.target) : -1
    if (place === -1 || event.altKey || event.ctrlKey || event.metaKey) return
    const stop = stops[destination(event.key, place, stops.length) ?? -1]
    if (stop === undefined) return
    for (const other of stops) other.tabIndex = other === stop ? 0 : -1
    stop.focus()
    event.preventDefault()
  })

  return {
    draw(call, whole) {
      if (whole) {
        // Another run of a tail numbers its calls and events as this one did.
        room = eventsAtOnce
        list.replaceChildren()
        rows.clear()
        choice.length = 1
        types.length = 0
      }
      current = call
      drawTypes(call)
      drawRows()
    },
  }
}

const eventsAtOnce = 100
const maxTypes = 100

function eventRow(call: number, event: ShownEvent, actions: EventActions): HTMLLIElement {
  const { number, type, at, bytes, news, odd } = event
  const button = element(
    'button',
    { type: 'button', 'aria-expanded': 'false', tabindex: '-1' },
    element('span', { class: news === 0 ? 'type known' : 'type' }, type),
    element('span', { class: 'number' }, news === 0 ? 'nothing new' : `${news} new`),
    element('span', { class: 'number' }, byteSize(bytes)),
    timeElement(at),
  )
  const row = element('li', { class: 'event' }, button)
  if (odd.length > 0) row.append(element('p', { class: 'odd mark' }, odd.join(', ')))
  let panel: HTMLElement | undefined
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-expanded') !== 'true'
    button.setAttribute('aria-expanded', String(open))
    if (panel === undefined) {
      panel = eventPanel(call, event, actions)
      panel.id = `event-${call}-${number}`
      setAttribute(button, 'aria-controls', panel.id)
      row.append(panel)
    }
    panel.hidden = !open
  })
  return row
}
