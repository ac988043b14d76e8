import { count } from '../../lib/text/count.ts'
import { duration, readDateTime } from '../../lib/text/date-time.ts'
import { toJsonDocument } from '../../lib/text/escape.ts'
import { analysisResults, ringArrow } from '../../transcript/call-words.ts'
import type { CallSummary } from '../wire.ts'
import { byId, dateTimeElement, element, setAttribute, setText, timeElement } from './dom.ts'
import {
  isLive,
  isUnanswered,
  lengthOf,
  noAnalysisOf,
  type SelectedCall,
  statusOf,
  titleOf,
} from './page-model.ts'

/** The head of the selected call. */
export function drawHead(call: CallSummary, now: number): void {
  setText(byId('call-title', HTMLElement), titleOf(call))
  const state = byId('call-state', HTMLElement)
  setText(state, statusOf(call))
  setAttribute(state, 'class', 'state')
  setAttribute(state, 'data-live', String(isLive(call)))
  setAttribute(state, 'data-unanswered', String(isUnanswered(call)))
  const lasted = duration(lengthOf(call, now))
  const line = [
    call.finished ? `took ${lasted}` : isLive(call) ? `for ${lasted}` : '',
    numbersOf(call),
    count(call.messages, 'message'),
    call.events === 0 ? '' : count(call.events, 'event'),
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
        timeElement(time),
      )
    }),
  )
  if (statuses.length === 0)
    byId('statuses', HTMLElement).append(element('li', { class: 'faint' }, 'None yet.'))
  byId('analysis', HTMLElement).replaceChildren(
    analysis === undefined
      ? element('p', { class: 'note' }, noAnalysisOf({ facts }))
      : element('dl', {}, ...analysisResults(analysis).map(([name, value]) => entry(name, value))),
  )
  byId('facts', HTMLElement).replaceChildren(...facts.map(([label, value]) => entry(label, timeOr(value))))
}

/** Who rang whom: the assistant stands on the left, as in the table of webhook show. */
function numbersOf({ assistantNumber, userNumber, direction }: CallSummary): string {
  return assistantNumber === null || userNumber === null
    ? (userNumber ?? assistantNumber ?? '')
    : `${assistantNumber} ${ringArrow(direction)} ${userNumber}`
}

function timeOr(value: string): string | HTMLElement {
  const at = readDateTime(value)
  return at === undefined ? value : dateTimeElement(at)
}

function entry(label: string, value: unknown): HTMLElement {
  if (value instanceof HTMLElement)
    return element('div', {}, element('dt', {}, label), element('dd', {}, value))
  const shown = typeof value === 'string' ? value : toJsonDocument(value)
  return element(
    'div',
    {},
    element('dt', {}, label),
    element('dd', typeof value === 'object' ? { class: 'data' } : {}, shown.slice(0, maxValueLength)),
  )
}

const maxValueLength = 20_000
