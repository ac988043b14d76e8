import type { CallObservation } from '../../../files/formats/call-observation.ts'
import type { CallView, RequestSummary, WebhookSummary } from '../../../files/formats/control-api.ts'
import { createCallsView, showTry } from '../calls-view.ts'
import { createConnectionStatus } from '../connection-status.ts'
import { byId, oncePerFrame, setText } from '../dom.ts'
import { createFiguresView } from '../figures-view.ts'
import { listenToKeys } from '../keys.ts'
import { callInAddress, readAddress, writeAddress } from '../page-address.ts'
import type { ConnectionState } from '../page-model.ts'
import { createViews } from '../views.ts'
import { createBatchesView } from './batches-view.ts'
import { createCallerBox } from './caller-box.ts'
import { createClockBar } from './clock-bar.ts'
import { ControlError, createControlApi } from './control-api.ts'
import { createFaultsView } from './faults-view.ts'
import { createRecordsView } from './records-view.ts'
import { createRequestsView } from './requests-view.ts'
import { createSandboxCalls } from './sandbox-calls.ts'
import { createStateView } from './state-view.ts'
import { createWebhookEvents } from './webhook-events.ts'

// The URL contains the token in its fragment, which browsers do not send.
const address = readAddress()
const api = createControlApi(address.get('token') ?? '', address.get('world'))
const calls = createSandboxCalls()
let selected: number | undefined
/** Number of running loads, and the events that wait for them. */
let loads = 0
let hasLoaded = false
const waiting: { readonly name: string; readonly data: string }[] = []

byId('call').querySelector('.said')?.append(byId('caller'))
document.querySelector('header')?.after(byId('sandbox-bar'))
setText(byId('events-title'), 'Webhooks')
setText(byId('address-of'), 'The service is running at')

const schedule = oncePerFrame(draw)
const status = createConnectionStatus('sandbox', () => calls.summaries.size > 0)
const clock = createClockBar(api)
const requests = createRequestsView(api, schedule)
const records = createRecordsView(api, schedule)
const faults = createFaultsView(api)
const caller = createCallerBox(api)
const batches = createBatchesView({
  calls,
  onChange: schedule,
  now: () => clock.now() ?? Date.now(),
  openCall,
})
createStateView(api)
const webhooks = createWebhookEvents(api, calls.webhookOf)
const view = createCallsView({
  onSelect(key) {
    select(key)
    writeAddress({ call: calls.summaries.get(key)?.callId ?? null })
  },
  onChange: schedule,
  find: async query => calls.find(query),
  drawMore: webhooks.draw,
  now: clock.now,
  isOnline: () => status.isOnline,
  hasLoaded: () => hasLoaded,
})
const views = createViews(next => {
  // Faults on webhooks are reported with the webhooks.
  if (next === 'faults') faults.load().catch(ignore)
  schedule()
})
const figures = createFiguresView({
  server: 'sandbox',
  load: () => api.get('ui/figures'),
  openCall,
})
window.setInterval(() => {
  if (views.currentView === 'batch' && status.isOnline) batches.tick()
}, 1000)
if (address.has('call')) document.body.dataset.view = 'call'
listenToKeys()

showTry(location.origin, byId('sandbox-bar').dataset.command ?? '')
void follow()

/** Follows the sandbox for as long as the page is open; after an interruption from what is then there. */
async function follow(): Promise<void> {
  for (;;) {
    try {
      await api.stream(() => void load(), receive)
      become('lost')
    } catch (error) {
      const isRefused = error instanceof ControlError && (error.status === 401 || error.status === 404)
      if (isRefused) return become('other-run')
      become('lost')
    }
    await status.retryDelay()
  }
}

/** Loads the complete state. Events that arrive meanwhile wait, because the loaded state may be older. */
async function load(): Promise<void> {
  loads += 1
  try {
    const before = new Map(calls.summaries)
    const [{ calls: callList }, { requests: history }, { webhooks: webhookList }] = await Promise.all([
      api.get<{ readonly calls: readonly CallView[] }>('calls'),
      api.get<{ readonly requests: readonly RequestSummary[] }>('requests'),
      api.get<{ readonly webhooks: readonly WebhookSummary[] }>('webhooks'),
      clock.load(),
      faults.load(),
    ])
    hasLoaded = true
    setText(byId('waiting'), 'No calls yet.')
    calls.replace(callList, webhookList)
    requests.replace(history)
    if (calls.get(selected) === undefined) selected = undefined
    // What is there when the page is opened is not news.
    view.took(before, before.size === 0 ? [] : calls.summaries.values())
    selectNewest()
    become('live')
    records.stale()
  } catch (error) {
    if (error instanceof ControlError) setText(byId('waiting'), error.message)
  }
  loads -= 1
  for (const { name, data } of waiting.splice(0)) receive(name, data)
  schedule()
}

function receive(name: string, data: string): void {
  if (loads > 0) waiting.push({ name, data })
  else handleMessage(name, data)
}

/** One event of the stream. */
function handleMessage(name: string, data: string): void {
  switch (name) {
    case 'call': {
      const { observation }: { readonly observation: CallObservation } = JSON.parse(data)
      takeObservation(observation)
      break
    }
    case 'request': {
      const { request }: { readonly request: RequestSummary } = JSON.parse(data)
      requests.addRequest(request)
      if (request.method !== 'GET' && !request.path.startsWith('/calls/')) records.stale()
      if (request.fault !== undefined) faults.load().catch(ignore)
      break
    }
    case 'webhook': {
      const { webhook }: { readonly webhook: WebhookSummary } = JSON.parse(data)
      calls.takeWebhook(webhook)
      break
    }
    case 'clock':
      clock.load().catch(ignore)
      break
    case 'faults':
      faults.load().catch(ignore)
      break
    case 'reset':
    case 'restored':
      void load()
  }
  schedule()
}

function takeObservation(observation: CallObservation): void {
  const callSummary = calls.summaries.get(calls.keyOf(observation.callId) ?? -1)
  const summary = calls.observe(observation)
  if (summary === undefined) return
  view.took(new Map(callSummary === undefined ? [] : [[callSummary.key, callSummary]]), [summary])
  if (summary.key === selected && observation.kind === 'message' && observation.role === 'assistant')
    caller.heard(observation.text)
  selectNewest()
}

/** The first call is shown at once; a reader is never led away from the call that they chose. */
function selectNewest(): void {
  const newest = callInAddress(calls.summaries.values()) ?? [...calls.summaries.keys()].at(-1)
  if (selected === undefined && newest !== undefined) select(newest)
}

function select(key: number): void {
  if (key === selected) return
  selected = key
  byId('call-pane').scrollTop = 0
  schedule()
}

/** Leads from another view to a call. */
function openCall(callId: string): void {
  const key = calls.keyOf(callId)
  if (key === undefined) return
  select(key)
  document.body.dataset.view = 'call'
  views.open('calls')
  writeAddress({ call: callId })
  draw()
  byId('call-title').focus()
}

function become(next: ConnectionState): void {
  status.become(next)
  if (!status.isOnline) clock.stop()
  schedule()
}

function draw(): void {
  const { summaries } = calls
  byId('batch-tab').hidden = views.currentView !== 'batch' && !batches.hasBatches()
  const summary = summaries.get(selected ?? -1)
  const { detail, listening = false } = calls.get(selected) ?? {}
  if (views.currentView === 'calls') view.draw({ calls: summaries, dropped: 0, summary, detail, note: '' })
  else if (views.currentView === 'batch') batches.draw()
  else if (views.currentView === 'figures' && status.isOnline) figures.draw(calls.version)
  else if (views.currentView === 'requests') requests.draw()
  else if (views.currentView === 'records') records.draw()
  caller.draw(
    summary?.callId == null
      ? undefined
      : {
          callId: summary.callId,
          isOngoing: summary.status === 'ongoing',
          isOver: summary.finished,
          isListening: listening,
        },
  )
}

/** The connection status already reports failures. */
function ignore(): void {}
