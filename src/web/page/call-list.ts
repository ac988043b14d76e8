import { getCallStart } from '../../events/transcript/call-words.ts'
import { count } from '../../lib/text/count.ts'
import { duration, timeOfDay } from '../../lib/text/date-time.ts'
import type { CallSummary } from '../wire.ts'
import { drawState } from './call-facts.ts'
import { ageElement, byId, element, setAttribute, setText } from './dom.ts'
import {
  callVerdict,
  formatAge,
  formatDay,
  formatStatus,
  getArrow,
  getDuration,
  getPreview,
  getTitle,
  isLive,
} from './page-model.ts'
import { createRows, followArrows, setStop } from './row-list.ts'

/**
 * The list box of calls: one stop for Tab, arrows inside. `onSelect` with `open` when the reader wants to read the call, not only
 * to pass over it.
 */
export function createCallList(onSelect: (key: number, open: boolean) => void, now: () => number) {
  const box = byId('calls')
  const more = byId('more-calls')
  let visibleCalls: readonly CallSummary[] = []
  let selection: number | undefined
  let room = rowsAtOnce
  let rows: HTMLElement[] = []

  const createRow = ({ key }: CallSummary) => {
    const row = element('div', { class: 'row', role: 'option', 'data-key': String(key) })
    const draw = fillRow(row)
    const update = (call: CallSummary) => {
      draw(call, now())
      setAttribute(row, 'aria-selected', String(key === selection))
    }
    return { row, update }
  }
  const arrange = createRows<CallSummary>(box, ({ key }) => key, createRow)
  /** Draws these, in this order; only rows that changed are touched. */
  const draw = (calls: readonly CallSummary[], selected: number | undefined) => {
    visibleCalls = calls
    selection = selected
    const hadFocus = box.contains(document.activeElement)
    rows = arrange(calls.slice(0, room))
    let day = ''
    for (const [index, row] of rows.entries()) {
      const call = calls[index]
      const next = call === undefined ? day : formatDay(getCallStart(call), now())
      if (next === day) row.removeAttribute('data-day')
      else setAttribute(row, 'data-day', next)
      day = next
    }
    const stop = rows.find(row => keyOf(row) === selected) ?? rows[0]
    setStop(rows, stop)
    // A row that went away under the reader's focus leaves it to the row that Tab would reach.
    if (hadFocus && !box.contains(document.activeElement)) stop?.focus()
    more.hidden = calls.length <= room
  }

  box.addEventListener('click', ({ target }) => {
    const key = keyOf(target)
    if (key !== undefined) onSelect(key, true)
  })
  box.addEventListener('keydown', event => {
    const key = keyOf(event.target)
    if (key === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key !== 'Enter' && event.key !== ' ') return
    onSelect(key, true)
    event.preventDefault()
  })
  followArrows(
    box,
    () => rows,
    row => onSelect(Number(row.dataset.key), false),
  )
  more.addEventListener('click', () => {
    room += rowsAtOnce
    draw(visibleCalls, selection)
  })
  return { draw }
}

/** More rows are drawn when they are asked for. */
const rowsAtOnce = 200

/** Adds the parts of a call to its row. The returned function updates what has changed. */
function fillRow(row: HTMLElement): (call: CallSummary, now: number) => void {
  const who = element('span', { class: 'who', dir: 'auto', lang: '' })
  const arrowText = element('span', { class: 'arrow faint' })
  const times = element('span', { class: 'when' })
  const state = element('span')
  const size = element('span', { class: 'number faint' })
  const role = element('span', { class: 'role', dir: 'auto' })
  const last = element('span', { class: 'last', dir: 'auto', lang: '' })
  const verdict = element('span', { class: 'verdict' })
  row.append(
    element('div', { class: 'title' }, arrowText, who, times),
    element('div', {}, state, size),
    element('div', { class: 'preview' }, role, last, verdict),
  )
  let drawnCall: CallSummary | undefined
  return (call, now) => {
    const startedAt = getCallStart(call)
    const [timeElement] = times.children
    if (timeElement === undefined || (drawnCall !== undefined && getCallStart(drawnCall) !== startedAt))
      times.replaceChildren(ageElement(startedAt, formatAge(startedAt, now)))
    else setText(timeElement, formatAge(startedAt, now))
    if (drawnCall === call) return
    const arrow = getArrow(call)
    const messageCount = count(call.messages, 'message')
    const lasted = call.finished ? [duration(getDuration(call, now))] : []
    setText(arrowText, arrow)
    setText(who, getTitle(call))
    setAttribute(who, 'title', call.callId ?? '')
    drawState(state, call)
    setText(size, [messageCount, ...lasted].join(' · '))
    const preview = getPreview(call)
    setText(role, preview.role)
    setText(last, preview.text)
    setText(verdict, callVerdict(call))
    setAttribute(verdict, 'data-failed', String(callVerdict(call).startsWith('✕')))
    const name = [
      getTitle(call),
      ...(call.finished ? ['finished'] : isLive(call) ? ['live'] : []),
      formatStatus(call),
      messageCount,
      ...(arrow === '' ? [] : [call.direction ?? '']),
      ...lasted.map(length => `took ${length}`),
      ...(call.success === '' ? [] : [`success: ${call.success}`]),
      ...(call.failedDeliveries === 0
        ? []
        : [`${count(call.failedDeliveries, 'delivery', 'deliveries')} failed`]),
      `began ${timeOfDay(startedAt)}`,
    ]
    setAttribute(row, 'aria-label', name.join(', '))
    drawnCall = call
  }
}

function keyOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest('[data-key]') : null
  return row instanceof HTMLElement ? Number(row.dataset.key) : undefined
}

/** Tells a screen reader what happens to calls, in one short sentence every three seconds at most: it is not talked over. */
export function createAnnouncer() {
  const region = byId('announcer')
  let beginnings = 0
  let finished = 0
  let timer: number | undefined
  const say = () => {
    timer = undefined
    const parts = [
      ...(beginnings > 0 ? [`${count(beginnings, 'call')} began.`] : []),
      ...(finished > 0 ? [`${count(finished, 'call')} finished.`] : []),
    ]
    setText(region, parts.join(' '))
    beginnings = 0
    finished = 0
  }
  return {
    add(more: number, ended: number) {
      beginnings += more
      finished += ended
      if (beginnings + finished > 0 && timer === undefined) timer = window.setTimeout(say, 3000)
    },
  }
}
