import { analysisResults, getDirectionArrow, statusTimes } from '../../events/transcript/call-words.ts'
import { count } from '../../lib/text/count.ts'
import { duration, readDateTime } from '../../lib/text/date-time.ts'
import { toJsonDocument } from '../../lib/text/escape.ts'
import type { CallSummary } from '../wire.ts'
import { byId, chip, dateTimeElement, element, setAttribute, setText, timeElement } from './dom.ts'
import {
  explainMissingAnalysis,
  formatStatus,
  getDuration,
  getTitle,
  isLive,
  isUnanswered,
  type SelectedCall,
} from './page-model.ts'

/** The head of the selected call. */
export function drawHead(call: CallSummary, now: number): void {
  setText(byId('call-title'), getTitle(call))
  drawState(byId('call-state'), call)
  const lasted = duration(getDuration(call, now))
  const line = [
    call.finished ? `took ${lasted}` : isLive(call) ? `for ${lasted}` : '',
    numbersOf(call),
    count(call.messages, 'message'),
    call.events === 0 ? '' : count(call.events, 'event'),
    call.failedDeliveries === 0 ? '' : `${count(call.failedDeliveries, 'delivery', 'deliveries')} failed`,
  ]
  setText(byId('call-line'), line.filter(part => part !== '').join(' · '))
}

/** Makes an element say how a call is. */
export function drawState(target: HTMLElement, call: CallSummary): void {
  setText(target, formatStatus(call))
  setAttribute(target, 'class', 'state')
  setAttribute(target, 'data-live', String(isLive(call)))
  setAttribute(target, 'data-failed', String(isUnanswered(call)))
}

/** Statuses at the call's own times, analysis and details of the selected call. */
export function drawFacts(
  { statuses, analysis, facts }: SelectedCall,
  { startAt, endAt, finished }: CallSummary,
): void {
  const times = statusTimes(statuses, { startAt, endAt, ended: finished })
  const steps = statuses.map(({ status, phoneCallStatus }, index) => {
    const words = [status, phoneCallStatus].filter(word => word !== null).join(' · ')
    const time = readDateTime(times[index] ?? '') ?? 0
    const before = readDateTime(times[index - 1] ?? '')
    const gap = before === undefined ? '' : `+${duration(time - before)}`
    const apart = element('span', { class: 'faint number' }, gap)
    return element('li', {}, element('span', {}, words), apart, timeElement(time))
  })
  const none = element('li', { class: 'faint' }, 'None yet.')
  byId('statuses').replaceChildren(...(steps.length === 0 ? [none] : steps))
  const results = analysisResults(analysis ?? {}).map(([name, value]) => entry(name, value))
  byId('analysis').replaceChildren(
    results.length === 0
      ? element('p', { class: 'note' }, analysis === undefined ? explainMissingAnalysis(facts) : 'None.')
      : element('dl', {}, ...results),
  )
  byId('facts').replaceChildren(...facts.map(([label, value]) => entry(label, factValue(label, value))))
}

/** Returns both numbers, the assistant's first, as in the table of webhook show. */
function numbersOf({ assistantNumber, userNumber, direction }: CallSummary): string {
  return assistantNumber === null || userNumber === null
    ? (userNumber ?? assistantNumber ?? '')
    : `${assistantNumber} ${getDirectionArrow(direction)} ${userNumber}`
}

function factValue(label: string, value: string): string | HTMLElement {
  if (/\bid$/.test(label)) return chip(value)
  const at = readDateTime(value)
  return at === undefined ? value : dateTimeElement(at)
}

function entry(label: string, value: unknown): HTMLElement {
  const term = element('dt', {}, label)
  if (value instanceof HTMLElement) return element('div', {}, term, element('dd', {}, value))
  const valueText = typeof value === 'string' ? value : toJsonDocument(value)
  const attributes = typeof value === 'object' ? { class: 'data' } : {}
  return element(
    'div',
    {},
    term,
    element('dd', { dir: 'auto', ...attributes }, valueText.slice(0, maxValueLength)),
  )
}

const maxValueLength = 20_000
