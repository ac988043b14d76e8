import { count } from '../../lib/text/count.ts'
import { quoteForShell } from '../../lib/text/escape.ts'
import type { Batch, CallSummary, ShownRules, StreamOpened } from '../wire.ts'
import { createCallsView, showTry } from './calls-view.ts'
import { connect } from './connection.ts'
import { createConnectionStatus } from './connection-status.ts'
import { byId, oncePerFrame, setText } from './dom.ts'
import { createFiguresView, replaceDrawing } from './figures-view.ts'
import { listenToKeys } from './keys.ts'
import { callInAddress, readAddress, writeAddress } from './page-address.ts'
import {
  applyBatch,
  applyDetail,
  callNote,
  countEvents,
  createShownCalls,
  type SelectedCall,
} from './page-model.ts'
import { createTailEvents, eventAddress } from './raw-events.ts'
import { createViews } from './views.ts'

let calls: ReadonlyMap<number, CallSummary> = new Map()
let stream: StreamOpened | undefined
let droppedCalls = 0
/** Version of the calls; undefined until the first ones have arrived. */
let version: number | undefined
let selected: number | undefined
/** Summary of the selected call: it stays to be read when the tail forgets it. */
let summary: CallSummary | undefined
let detail: SelectedCall | undefined
/** Events that came after what `detail` shows. */
let missed = 0
let selectionGone = false

listenToKeys()
if (readAddress().has('call')) document.body.dataset.view = 'call'
const schedule = oncePerFrame(draw)
const shownCalls = createShownCalls()
const status = createConnectionStatus('tail', () => calls.size > 0)
const events = createTailEvents(() => stream)
const view = createCallsView({
  onSelect(key) {
    select(key)
    writeAddress({ call: calls.get(key)?.callId ?? null })
  },
  onChange: schedule,
  // The tail knows all texts.
  async find(query) {
    const response = await fetch(`search?${new URLSearchParams({ q: query })}`)
    const { keys }: { readonly keys: readonly number[] } = await response.json()
    return keys
  },
  drawMore: events.draw,
  now: status.now,
  isOnline: () => status.isOnline,
  hasLoaded: () => version !== undefined,
})
const views = createViews(schedule)
const figures = createFiguresView({
  server: 'tail',
  async load() {
    const response = await fetch('figures')
    return response.json()
  },
  openCall(key) {
    select(Number(key))
    writeAddress({ call: calls.get(Number(key))?.callId ?? null })
    document.body.dataset.view = 'call'
    views.open('calls')
    draw()
    byId('call-title').focus()
  },
})
byId('firing').addEventListener('click', () => views.open('figures'))
const connection = connect<StreamOpened, Batch>({
  onStreamOpened: handleStreamOpened,
  onChanges: handleBatch,
  onState(state) {
    status.become(state)
    schedule()
  },
  retryDelay: status.retryDelay,
})

function handleStreamOpened(next: StreamOpened): void {
  if (stream !== undefined && stream.run !== next.run) {
    byId('rules').hidden = true
    byId('firing').hidden = true
    selected = undefined
    summary = undefined
    detail = undefined
    shownCalls.clear()
  }
  stream = next
  const address = eventAddress(next.eventPath, next.stream)
  if (next.stream === null) setText(byId('waiting'), 'Waiting for the first event.')
  else {
    setText(byId('waiting'), 'Waiting for the next event of the relay.')
    setText(byId('address-of'), 'Events come from the stream')
  }
  showTry(
    next.stream ?? address,
    next.hints.trigger.replace('{address}', () => quoteForShell(address)),
  )
  schedule()
}

function handleBatch(batch: Batch): void {
  const before = calls
  calls = applyBatch(calls, batch)
  droppedCalls = batch.dropped
  version = batch.version
  if (batch.rules !== undefined) drawRules(batch.rules)
  // What is there when the page is opened is not news.
  view.took(before, before.size > 0 || !batch.whole ? batch.calls : [])
  if (batch.detail !== undefined && batch.detail.key === selected) {
    detail = applyDetail(detail, batch.detail)
    missed = 0
    shownCalls.keep(detail)
  }
  selectionGone ||= batch.selectionGone
  // The first call is shown at once; a reader is never led away from the call that they chose.
  const newest = callInAddress(calls.values()) ?? [...calls.keys()].at(-1)
  if (selected === undefined && newest !== undefined) select(newest)
  schedule()
}

function drawRules({ firing, drawing }: ShownRules): void {
  byId('rules').hidden = false
  byId('firing').hidden = firing === 0
  setText(byId('firing'), `${count(firing, 'rule')} firing`)
  replaceDrawing(byId('rules-drawing'), drawing)
}

function select(key: number): void {
  if (key === selected) return
  selected = key
  detail = undefined
  missed = 0
  selectionGone = false
  summary = calls.get(key)
  byId('call-pane').scrollTop = 0
  connection.select(key)
  schedule()
}

/** Restores an earlier view of a call that the tail has dropped. */
function recall(): void {
  if (selected === undefined || detail !== undefined) return
  if (!selectionGone && status.isOnline) return
  detail = shownCalls.get(selected)
  missed = detail === undefined ? 0 : Math.max(0, (summary?.events ?? 0) - countEvents(detail))
}

function draw(): void {
  if (views.currentView === 'figures' && status.isOnline) figures.draw(version ?? 0)
  summary = calls.get(selected ?? -1) ?? summary
  recall()
  if (status.state === 'crowded' && stream === undefined)
    setText(byId('waiting'), 'This page is not connected.')
  const note = callNote({
    connection: status.state,
    gone: selectionGone,
    isShown: detail !== undefined,
    missed,
  })
  view.draw({ calls, dropped: droppedCalls, summary, detail, note })
}
