import { isObject, parseJson } from '../../lib/json.ts'
import { count } from '../../lib/text/count.ts'
import { readDateTime, secondsText } from '../../lib/text/date-time.ts'
import type { PageMessage } from '../wire.ts'
import { byId, element, setAttribute, setText, timeElement } from './dom.ts'
import { jsonView, unfold } from './json-view.ts'
import {
  type CallActivity,
  explainMissingMessages,
  isActivity,
  type SelectedCall,
  type TranscriptItem,
  transcriptItems,
} from './page-model.ts'
import { createRows, openingRow } from './row-list.ts'
import { createTimelineBox } from './timeline-box.ts'

/**
 * The last messages of a call with its tool calls; earlier ones when they are asked for. Follows the newest unless the reader scrolled
 * up. The timeline above them leads to each.
 */
export function createTranscriptPanel() {
  const scroller = byId('transcript')
  const list = byId('messages', HTMLOListElement)
  const missing = byId('missing')
  const earlier = byId('earlier')
  const newer = byId('newer')
  const nothing = byId('no-messages')
  const arrange = createRows<TranscriptItem>(
    list,
    item => item,
    item => ({ row: isActivity(item) ? activityRow(item) : messageRow(item) }),
  )
  let current: SelectedCall | undefined
  let items: readonly TranscriptItem[] = []
  let drawnCount = 0
  let first = 0
  let unread = 0
  let following = true

  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight
    following = true
    unread = 0
    newer.hidden = true
  }

  scroller.addEventListener('scroll', () => {
    following = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearEnd
    if (following) toEnd()
  })
  newer.addEventListener('click', () => {
    toEnd()
    scroller.focus()
  })
  earlier.addEventListener('click', () => {
    if (current === undefined) return
    const fromEnd = scroller.scrollHeight - scroller.scrollTop
    first = Math.max(0, first - messagesAtOnce)
    arrange(items.slice(first))
    drawNotes(current)
    scroller.scrollTop = scroller.scrollHeight - fromEnd
  })
  const timeline = createTimelineBox(index => {
    if (current === undefined) return
    following = false
    first = Math.min(first, index)
    const row = arrange(items.slice(first))[index - first]
    drawNotes(current)
    for (const other of list.querySelectorAll('[data-found]')) other.removeAttribute('data-found')
    row?.setAttribute('data-found', '')
    row?.scrollIntoView({ block: 'nearest' })
  })
  // What is printed is the whole call.
  window.addEventListener('beforeprint', () => {
    if (current === undefined) return
    first = 0
    arrange(items)
    drawNotes(current)
    unfold(byId('call'))
  })
  const drawNotes = (call: SelectedCall) => {
    const { missing: lost, malformed } = call
    const notes = [
      ...(lost > 0 ? [`${count(lost, 'message is', 'messages are')} not kept here.`] : []),
      ...(malformed > 0 ? [`${count(malformed, 'item was', 'items were')} no message.`] : []),
    ]
    setText(missing, notes.join(' '))
    missing.hidden = notes.length === 0
    earlier.hidden = first === 0
    setText(earlier, `Show ${Math.min(first, messagesAtOnce)} earlier`)
    nothing.hidden = items.length > 0
    setText(nothing, explainMissingMessages(call.facts))
  }

  return {
    /** Draws new messages; `isOther` if the messages do not continue those that were drawn before. */
    draw(call: SelectedCall, isOther: boolean) {
      items = transcriptItems(call)
      const { length } = items
      if (isOther) {
        if (current?.key !== call.key || length < drawnCount) following = true
        if (following) first = Math.max(0, length - messagesAtOnce)
        unread = 0
        // What is there already is not news to be read out.
        scroller.setAttribute('aria-busy', 'true')
      } else {
        unread += Math.max(0, length - drawnCount)
        if (following) first = Math.max(first, length - 2 * messagesAtOnce)
      }
      current = call
      drawnCount = length
      arrange(items.slice(first))
      timeline.draw(call, items)
      scroller.removeAttribute('aria-busy')
      drawNotes(call)
      if (following) toEnd()
      else if (unread > 0) {
        setText(newer, `${count(unread, 'new message')}, go to the newest`)
        newer.hidden = false
      }
    },
  }
}

const messagesAtOnce = 200
/** Pixels. */
const nearEnd = 24

/** A tool call that opens to its arguments and result, or a failure. */
function activityRow(activity: CallActivity): HTMLLIElement {
  const { number, title, kind, state, value, from, until } = activity
  const took = from === undefined || until === undefined || until - from < 50 ? '' : secondsText(until - from)
  const openingNode = openingRow(
    `activity-${number}`,
    [
      element('span', { class: 'type' }, title),
      element(
        'span',
        { class: state === 'failed' ? 'mark' : 'number' },
        [state, took].filter(part => part !== '').join(' · '),
      ),
    ],
    () => element('div', { class: 'panel' }, jsonView(title, withReadContent(value))),
    { tag: 'div' },
  )
  openingNode.querySelector('button')?.removeAttribute('tabindex')
  const when = element('span', { class: 'when' }, ...(from === undefined ? [] : [timeElement(from)]))
  const row = element(
    'li',
    { class: 'message' },
    element('span', { class: 'speaker' }, kind),
    openingNode,
    when,
  )
  setAttribute(row, 'data-role', kind)
  return row
}

/** A tool's result is JSON in a text. */
function withReadContent(value: unknown): unknown {
  if (!isObject(value) || typeof value.content !== 'string') return value
  return { ...value, content: parseJson(value.content) ?? value.content }
}

function messageRow({ role, text, cut, timestamp, edited }: PageMessage): HTMLLIElement {
  const at = timestamp === null ? undefined : readDateTime(timestamp)
  const when = element('span', { class: 'when' })
  if (edited) when.append(element('span', { class: 'mark' }, 'edited'), ' ')
  if (at !== undefined) when.append(timeElement(at))
  else if (timestamp !== null) when.append(timestamp === '' ? '' : element('span', {}, timestamp))
  // The language of messages is unknown: screen readers must not treat it as the page's English.
  const paragraph = element('p', { class: 'text', dir: 'auto', lang: '' }, text)
  if (cut > 0)
    paragraph.append(
      element('span', { class: 'mark' }, ` … ${count(cut, 'character')} more, see its raw event`),
    )
  const row = element(
    'li',
    { class: 'message' },
    element('span', { class: 'speaker', dir: 'auto' }, role),
    paragraph,
    when,
  )
  setAttribute(row, 'data-role', role)
  return row
}
