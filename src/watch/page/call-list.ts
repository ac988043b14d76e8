import { count } from '../../lib/text/count.ts'
import { timeOfDay } from '../../lib/text/date-time.ts'
import { beginOf } from '../../transcript/call-words.ts'
import type { CallSummary } from '../wire.ts'
import { byId, element, setAttribute, setText, timeElement } from './dom.ts'
import { arrowOf, destination, isLive, isUnanswered, statusOf, titleOf } from './page-model.ts'

export interface CallList {
  /** Draws these, in this order; only rows that changed are touched. */
  draw(calls: readonly CallSummary[], selected: number | undefined): void
}

export interface CallListHandlers {
  /** `open` when the reader wants to read it, not only to pass over it. */
  onSelect(key: number, open: boolean): void
}

/** The list box of calls: one stop for Tab, arrows inside. */
export function createCallList({ onSelect }: CallListHandlers): CallList {
  const box = byId('calls', HTMLElement)
  const more = byId('more-calls', HTMLButtonElement)
  const rows = new Map<number, Row>()
  let shown: readonly CallSummary[] = []
  let selection: number | undefined
  let room = rowsAtOnce

  const draw = (calls: readonly CallSummary[], selected: number | undefined) => {
    shown = calls
    selection = selected
    const visible = calls.slice(0, room)
    const keys = new Set(visible.map(({ key }) => key))
    const hadFocus = box.contains(document.activeElement)
    for (const [key, row] of rows) {
      if (keys.has(key)) continue
      row.element.remove()
      rows.delete(key)
    }
    let next = box.firstElementChild
    for (const call of visible) {
      const row = rows.get(call.key) ?? createRow()
      rows.set(call.key, row)
      row.update(call)
      row.element.dataset.key = String(call.key)
      setAttribute(row.element, 'aria-selected', String(call.key === selected))
      if (row.element === next) next = next.nextElementSibling
      else box.insertBefore(row.element, next)
    }
    const stop = keys.has(selected ?? -1) ? selected : visible[0]?.key
    for (const [key, { element: row }] of rows) setAttribute(row, 'tabindex', key === stop ? '0' : '-1')
    // A row that went away under the reader's focus leaves it to the row that Tab would reach.
    if (hadFocus && !box.contains(document.activeElement)) rows.get(stop ?? -1)?.element.focus()
    more.hidden = calls.length <= room
  }

  box.addEventListener('click', ({ target }) => {
    const key = keyOf(target)
    if (key !== undefined) onSelect(key, true)
  })
  box.addEventListener('keydown', event => {
    const key = keyOf(event.target)
    if (key === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    const place = shown.findIndex(call => call.key === key)
    const to = destination(event.key, place, Math.min(shown.length, room))
    const call = shown[to ?? -1]
    if (event.key === 'Enter' || event.key === ' ') onSelect(key, true)
    else if (call === undefined) return
    else {
      onSelect(call.key, false)
      rows.get(call.key)?.element.focus()
    }
    event.preventDefault()
  })
  more.addEventListener('click', () => {
    room += rowsAtOnce
    draw(shown, selection)
  })
  return { draw }
}

/** More rows are drawn when they are asked for. */
const rowsAtOnce = 200

interface Row {
  readonly element: HTMLElement
  update(call: CallSummary): void
}

function createRow(): Row {
  const who = element('span', { class: 'who' })
  const times = element('span', { class: 'when' })
  const status = element('span', { class: 'state' })
  const messages = element('span', { class: 'number faint' })
  const last = element('span', { class: 'last' })
  const row = element(
    'div',
    { class: 'row', role: 'option' },
    element('div', {}, who, times),
    element('div', {}, status, messages),
    element('div', {}, last),
  )
  let drawn: CallSummary | undefined
  let began: number | undefined
  return {
    element: row,
    update(call) {
      if (drawn === call) return
      drawn = call
      const said = call.last === null ? '' : `${call.last.role}: ${call.last.text.replace(/\s+/g, ' ')}`
      const messageCount = count(call.messages, 'message')
      setText(who, [arrowOf(call), titleOf(call)].join(''))
      setAttribute(who, 'title', call.callId ?? '')
      if (began !== beginOf(call)) times.replaceChildren(timeElement(beginOf(call)))
      began = beginOf(call)
      setText(status, statusOf(call))
      setAttribute(status, 'data-live', String(isLive(call)))
      setAttribute(status, 'data-unanswered', String(isUnanswered(call)))
      setText(messages, messageCount)
      setText(last, said)
      const name = [
        titleOf(call),
        ...(call.finished ? ['finished'] : isLive(call) ? ['live'] : []),
        statusOf(call),
        messageCount,
        ...(arrowOf(call) === '' ? [] : [call.direction ?? '']),
        `began ${timeOfDay(beginOf(call))}`,
      ]
      setAttribute(row, 'aria-label', name.join(', '))
    },
  }
}

function keyOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest('[data-key]') : null
  return row instanceof HTMLElement ? Number(row.dataset.key) : undefined
}

export interface Announcer {
  add(begun: number, finished: number): void
}

/** Tells a screen reader what happens to calls, in one short sentence every three seconds at most: it is not talked over. */
export function createAnnouncer(): Announcer {
  const region = byId('announcer', HTMLElement)
  let begun = 0
  let finished = 0
  let timer: number | undefined
  const say = () => {
    timer = undefined
    const parts = [
      ...(begun > 0 ? [`${count(begun, 'call')} began.`] : []),
      ...(finished > 0 ? [`${count(finished, 'call')} finished.`] : []),
    ]
    setText(region, parts.join(' '))
    begun = 0
    finished = 0
  }
  return {
    add(more, ended) {
      begun += more
      finished += ended
      if (begun + finished > 0 && timer === undefined) timer = window.setTimeout(say, 3000)
    },
  }
}
