import { count } from '../../lib/text/count.ts'
import { quoteForShell } from '../../lib/text/escape.ts'
import { isCall } from '../../transcript/call-words.ts'
import type { Batch, CallSummary, Hello } from '../wire.ts'
import { drawFacts, drawHead } from './call-facts.ts'
import { createAnnouncer, createCallList } from './call-list.ts'
import { connect } from './connection.ts'
import { byId, copyText, setAttribute, setText } from './dom.ts'
import {
  applyBatch,
  applyDetail,
  type ConnectionState,
  callNote,
  createShownCalls,
  isLive,
  type SelectedCall,
  type StateFilter,
  visibleCalls,
} from './page-model.ts'
import { createRawEvents } from './raw-events.ts'
import { createSearchBox, markFound } from './search-box.ts'
import { createTranscriptPanel } from './transcript-view.ts'

let calls: ReadonlyMap<number, CallSummary> = new Map()
let hello: Hello | undefined
let dropped = 0
let state: StateFilter = 'all'
let selected: number | undefined
/** Summary of the selected call: it stays to be read when the tail forgets it. */
let summary: CallSummary | undefined
let detail: SelectedCall | undefined
/** Events that came after what `detail` shows. */
let missed = 0
let selectionGone = false
let connectionState: ConnectionState = 'connecting'
/** What changed since the last frame. */
let whole = false
let news = false
const changed = new Set<number>()
let drawing = false

const shownCalls = createShownCalls()
const transcript = createTranscriptPanel()
const announcer = createAnnouncer()
const search = createSearchBox(schedule)
const events = createRawEvents({
  targetsOf: type => (hello?.targets ?? []).filter(target => target.type === null || target.type === type),
  listener: () => ({
    url: `${location.origin}${hello?.eventPath ?? '/'}`,
    headers: hello?.requiredHeader == null ? [] : [hello.requiredHeader],
  }),
  forwardHint: () => hello?.hints.forward ?? '',
})
const list = createCallList({
  onSelect(key, open) {
    select(key)
    if (!open) return
    document.body.dataset.view = 'call'
    // On a narrow page the list has just gone, and the focus with it.
    if (byId('calls', HTMLElement).offsetParent === null) byId('call-title', HTMLElement).focus()
  },
})
const connection = connect({ onHello: greet, onBatch: take, onState: showConnection })

const tryCommand = byId('try-command', HTMLElement)
byId('try-copy', HTMLButtonElement).addEventListener('click', async () => {
  byId('try-told', HTMLElement).replaceChildren(...(await copyText(tryCommand.textContent ?? '', 'Command')))
})
byId('back', HTMLElement).addEventListener('click', () => {
  document.body.dataset.view = 'list'
  document.querySelector<HTMLElement>('#calls [tabindex="0"]')?.focus()
})
for (const choice of document.querySelectorAll<HTMLInputElement>('input[name="state"]')) {
  choice.addEventListener('change', () => {
    state = choice.value === 'live' || choice.value === 'finished' ? choice.value : 'all'
    schedule()
  })
}
// How long a live call lasts changes without an event.
window.setInterval(() => {
  if (summary?.finished === false && connectionState === 'live') drawHead(summary, Date.now())
}, 1000)

function greet(next: Hello): void {
  if (hello !== undefined && hello.run !== next.run) {
    selected = undefined
    summary = undefined
    detail = undefined
    shownCalls.clear()
  }
  hello = next
  const address = `${location.origin}${next.eventPath}`
  setText(byId('event-address', HTMLElement), address)
  setText(
    tryCommand,
    next.hints.trigger.replace('{address}', () => quoteForShell(address)),
  )
  byId('try', HTMLElement).hidden = false
  schedule()
}

function take(batch: Batch): void {
  const before = calls
  calls = applyBatch(calls, batch)
  dropped = batch.dropped
  if (before.size > 0 || !batch.whole) {
    const begun = batch.calls.filter(({ key }) => !before.has(key)).length
    const finished = batch.calls.filter(
      ({ key, finished: now }) => now && before.get(key)?.finished === false,
    ).length
    announcer.add(begun, finished)
  }
  if (batch.detail !== undefined && batch.detail.key === selected) {
    detail = applyDetail(detail, batch.detail)
    missed = 0
    shownCalls.keep({ call: detail, events: calls.get(selected)?.events ?? 0 })
    whole ||= batch.detail.whole
    news = true
    for (const { place } of batch.detail.messages) changed.add(place)
  }
  selectionGone ||= batch.selectionGone
  // The first call is shown at once; a reader is never led away from the call that they chose.
  const newest = [...calls.keys()].at(-1)
  if (selected === undefined && newest !== undefined) select(newest)
  search.calls()
  schedule()
}

function select(key: number): void {
  if (key === selected) return
  selected = key
  detail = undefined
  missed = 0
  selectionGone = false
  summary = calls.get(key)
  byId('call-pane', HTMLElement).scrollTop = 0
  connection.select(key)
  schedule()
}

function showConnection(now: ConnectionState): void {
  connectionState = now
  const shown = byId('connection', HTMLElement)
  setAttribute(shown, 'data-state', now)
  setText(shown, connectionWords[now])
  schedule()
}

const connectionWords: Readonly<Record<ConnectionState, string>> = {
  connecting: 'Connecting',
  live: 'Connected',
  lost: 'Connection lost, trying again',
  ended: 'The tail has ended',
  crowded: 'Too many pages are open: close one, then load this page again',
}

/** What was shown of a call before stands in for what the tail cannot tell. */
function recall(): void {
  if (selected === undefined || detail !== undefined) return
  if (!selectionGone && (connectionState === 'live' || connectionState === 'connecting')) return
  const shown = shownCalls.get(selected)
  if (shown === undefined) return
  detail = shown.call
  missed = Math.max(0, (summary?.events ?? 0) - shown.events)
  whole = true
  news = true
}

/** One drawing for all that came in since the last frame. */
function schedule(): void {
  if (drawing) return
  drawing = true
  requestAnimationFrame(() => {
    drawing = false
    draw()
  })
}

function draw(): void {
  const visible = visibleCalls(calls, state, search.found)
  list.draw(visible, selected)
  setText(byId('list-note', HTMLElement), listNote(visible.length))
  drawTotals()
  summary = calls.get(selected ?? -1) ?? summary
  recall()
  const shown = byId('call', HTMLElement)
  shown.hidden = summary === undefined
  // What stands there is still another call's.
  shown.toggleAttribute('data-loading', detail === undefined)
  const nothing = byId('nothing', HTMLElement)
  nothing.hidden = summary !== undefined
  // A narrow page shows the list alone, unless there is nothing in it.
  document.body.toggleAttribute('data-empty', summary === undefined && calls.size === 0)
  if (connectionState === 'crowded' && hello === undefined)
    setText(byId('waiting', HTMLElement), 'Nothing is shown on this page.')
  if (summary === undefined) return
  drawHead(summary, Date.now())
  const note = { connection: connectionState, gone: selectionGone, shown: detail !== undefined, missed }
  setText(byId('call-note', HTMLElement), callNote(note))
  if (detail !== undefined && news) {
    transcript.draw(detail, changed, whole)
    drawFacts(detail)
    events.draw(detail, whole)
    news = false
    whole = false
    changed.clear()
  }
  markFound(byId('messages', HTMLElement), search.found === undefined ? '' : search.query)
}

function listNote(visible: number): string {
  const lost = dropped === 0 ? [] : [`${count(dropped, 'older call is', 'older calls are')} no longer kept.`]
  if (visible > 0) return lost.join('')
  if (calls.size === 0) return ['No calls yet.', ...lost].join(' ')
  return [search.found === undefined ? 'No such calls.' : 'Nothing found.', ...lost].join(' ')
}

function drawTotals(): void {
  const all = [...calls.values()].filter(isCall)
  const live = all.filter(isLive).length
  setText(byId('totals', HTMLElement), `${live} live · ${count(all.length, 'call')}`)
  const title = live === 0 ? 'callwright' : `${live} live · callwright`
  if (document.title !== title) document.title = title
}
