import { duration } from '../../../lib/text/date-time.ts'
import type { LiveBatchCall } from '../../batch-wire.ts'
import { byId, element, setAttribute, setText } from '../dom.ts'
import { createRows } from '../row-list.ts'
import { countOf, formatCount } from './batch-model.ts'

/** Opens a call by its id, on a page that shows calls. */
export type OpenCall = (call: string) => void

/** The calls in progress with their last line. */
export function createLiveCalls(openCall?: OpenCall) {
  const list = byId('live-calls')
  const more = byId('more-live-calls')
  let now = 0
  let room = callsAtOnce
  let liveCalls: readonly LiveBatchCall[] = []
  let total = 0
  const arrange = createRows<LiveBatchCall>(list, keyOf, () => createRow(() => now, openCall))
  const arrangeShown = () => {
    const hadFocus = list.contains(document.activeElement)
    arrange(liveCalls.slice(0, room))
    if (hadFocus && !list.contains(document.activeElement)) list.querySelector('button')?.focus()
    more.hidden = liveCalls.length <= room
    if (!more.hidden) setText(more, `Show ${Math.min(liveCalls.length - room, callsAtOnce)} more`)
  }
  more.addEventListener('click', () => {
    room += callsAtOnce
    arrangeShown()
  })
  return {
    /** `live` may be the beginning of `liveTotal` calls. `at` is in milliseconds since the epoch. */
    draw(live: readonly LiveBatchCall[], liveTotal: number, at: number) {
      liveCalls = live
      total = liveTotal
      now = at
      setText(byId('live-count'), total === 0 ? '' : formatCount(total))
      const rest = total - liveCalls.length
      setText(
        byId('live-note'),
        total === 0 ? 'No calls in progress.' : rest > 0 ? `${countOf(rest, 'more call')} not listed.` : '',
      )
      arrangeShown()
    },
  }
}

const callsAtOnce = 10

function keyOf({ person, startedAt }: LiveBatchCall): string {
  return `${startedAt} ${person}`
}

function createRow(now: () => number, openCall: OpenCall | undefined) {
  const phase = element('span', { class: 'state' })
  const person = element('bdi', { class: 'who' })
  const number = element('span', { class: 'number faint' })
  const elapsed = element('span', { class: 'number faint elapsed' })
  const role = element('span', { class: 'role', dir: 'auto' })
  const last = element('span', { class: 'last', dir: 'auto', lang: '' })
  let id: string | null = null
  const open = element('button', { type: 'button', class: 'quiet' }, 'Open')
  open.addEventListener('click', () => {
    if (id !== null) openCall?.(id)
  })
  const row = element(
    'li',
    { class: 'live-call' },
    element(
      'div',
      { class: 'live-line' },
      person,
      number,
      phase,
      elapsed,
      ...(openCall === undefined ? [] : [open]),
    ),
    element('div', { class: 'live-last faint' }, role, last),
  )
  const update = (call: LiveBatchCall) => {
    id = call.call
    setText(person, call.person)
    setText(number, call.number === call.person ? '' : call.number)
    setText(phase, call.phase)
    setAttribute(phase, 'data-live', String(call.phase === 'talking'))
    setText(elapsed, duration(now() - call.startedAt))
    setText(role, call.last?.role ?? '')
    setText(last, call.last?.text.replace(/\s+/g, ' ') ?? 'nothing said yet')
    open.hidden = id === null
    setAttribute(open, 'aria-label', `Open the call to ${call.person}`)
  }
  return { row, update }
}
