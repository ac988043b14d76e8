import type { CallSummary } from '../../../webhook/watch/wire.ts'
import { readDateTime, timeOfDay } from '../../date-time.ts'
import { toJsonDocument } from '../../escape.ts'
import { byId, element, setAttribute, setText } from './dom.ts'
import { type SelectedCall, statusOf, titleOf } from './page-model.ts'
import { duration } from './shown-times.ts'

/** The head of the selected call. */
export function drawHead(call: CallSummary, now: number): void {
  setText(byId('call-title', HTMLElement), titleOf(call))
  const state = byId('call-state', HTMLElement)
  setText(state, statusOf(call))
  setAttribute(state, 'class', 'state')
  setAttribute(state, 'data-live', String(!call.finished))
  const lasted = duration((call.finished ? call.lastAt : now) - call.firstAt)
  const numbers = [call.userNumber, call.assistantNumber].filter(number => number !== null).join(' ↔ ')
  const line = [
    call.finished ? `took ${lasted}` : `for ${lasted}`,
    numbers,
    `${call.messages} ${call.messages === 1 ? 'message' : 'messages'}`,
    `${call.events} ${call.events === 1 ? 'event' : 'events'}`,
  ]
  setText(byId('call-line', HTMLElement), line.filter(part => part !== '').join(' · '))
}

/** Status timeline, analysis and details of the selected call. */
export function drawFacts({ statuses, analysis, facts }: SelectedCall): void {
  byId('statuses', HTMLElement).replaceChildren(
    ...statuses.map(({ status, phoneCallStatus, at }, place) => {
      const words = [status, phoneCallStatus].filter(word => word !== null).join(' · ')
      const time = readDateTime(at) ?? 0
      const before = readDateTime(statuses[place - 1]?.at ?? '')
      const gap = before === undefined ? '' : `+${duration(time - before)}`
      return element(
        'li',
        {},
        element('span', {}, words),
        element('span', { class: 'faint number' }, gap),
        element('time', { datetime: at }, timeOfDay(time)),
      )
    }),
  )
  if (statuses.length === 0)
    byId('statuses', HTMLElement).append(element('li', { class: 'faint' }, 'None yet.'))
  byId('analysis', HTMLElement).replaceChildren(
    analysis === undefined
      ? element('p', { class: 'note' }, 'None yet. It comes after the call.')
      : element('dl', {}, ...Object.entries(analysis).map(([name, value]) => entry(name, value))),
  )
  byId('facts', HTMLElement).replaceChildren(...facts.map(([label, value]) => entry(label, value)))
}

function entry(label: string, value: unknown): HTMLElement {
  const shown = typeof value === 'string' ? value : toJsonDocument(value)
  return element(
    'div',
    {},
    element('dt', {}, label),
    element('dd', typeof value === 'object' ? { class: 'data' } : {}, shown.slice(0, longestValue)),
  )
}

const longestValue = 20_000
