import { isCall } from '../../events/transcript/call-words.ts'
import { count } from '../../lib/text/count.ts'
import type { CallSummary } from '../wire.ts'
import { drawFacts, drawHead } from './call-facts.ts'
import { createAnnouncer, createCallList } from './call-list.ts'
import { byId, copyText, setText, setTitle } from './dom.ts'
import { isLive, type SelectedCall, type StateFilter, stateFilters, visibleCalls } from './page-model.ts'
import { createSearchBox, markFound } from './search-box.ts'
import { createTranscriptPanel } from './transcript-view.ts'

interface CallsViewOptions {
  /** The reader chose a call. */
  onSelect(key: number): void
  /** The reader changed what is to be drawn. */
  onChange(): void
  /** Finds the calls that contain the words of a query. */
  find(query: string): Promise<readonly number[]>
  /** Draws the parts of a call that only one page has; `isOther` if another call was drawn before. */
  drawMore(call: SelectedCall, isOther: boolean): void
  /** The time by which live calls last, in milliseconds since the epoch; undefined while it is not known. */
  now(): number | undefined
  /** False while what is shown is the last known state. */
  isOnline(): boolean
  /** False until the calls of the server are known. */
  hasLoaded(): boolean
}

/** Current content of the view. */
interface ShownCallsNow {
  readonly calls: ReadonlyMap<number, CallSummary>
  /** Calls that are no longer kept. */
  readonly dropped: number
  /** Summary of the selected call. */
  readonly summary: CallSummary | undefined
  /** Undefined until it is known. */
  readonly detail: SelectedCall | undefined
  /** Note about the selected call. */
  readonly note: string
}

/** The list of calls and the call that is read, on the page of a tail and on that of a sandbox. */
export function createCallsView(options: CallsViewOptions) {
  const { onSelect, onChange, find, drawMore, now, isOnline, hasLoaded } = options
  const transcript = createTranscriptPanel()
  const announcer = createAnnouncer()
  const search = createSearchBox(find, onChange)
  let state: StateFilter = 'all'
  let summary: CallSummary | undefined
  let drawnCall: SelectedCall | undefined
  const timeNow = () => now() ?? Date.now()
  const list = createCallList((key, open) => {
    onSelect(key)
    if (!open) return
    document.body.dataset.view = 'call'
    // On a narrow page the list has just gone, and the focus with it.
    if (byId('calls').offsetParent === null) byId('call-title').focus()
  }, timeNow)

  byId('try-copy').addEventListener('click', async () => {
    const command = byId('try-command').textContent ?? ''
    byId('try-told').replaceChildren(...(await copyText(command, 'Command')))
  })
  byId('back').addEventListener('click', () => {
    document.body.dataset.view = 'list'
    document.querySelector<HTMLElement>('#calls [tabindex="0"]')?.focus()
  })
  for (const choice of document.querySelectorAll<HTMLInputElement>('input[name="state"]')) {
    choice.addEventListener('change', () => {
      state = stateFilters.find(filter => filter === choice.value) ?? 'all'
      onChange()
    })
  }
  byId('clear-search').addEventListener('click', search.clear)
  // Ages change without an event.
  window.setInterval(onChange, agesMs)
  // How long a live call lasts changes without an event.
  window.setInterval(() => {
    const at = now()
    if (summary?.finished === false && at !== undefined) drawHead(summary, at)
  }, 1000)

  const listNote = (visible: number, { calls, dropped }: ShownCallsNow) => {
    const lost =
      dropped === 0 ? [] : [`${count(dropped, 'older call is', 'older calls are')} no longer available.`]
    if (visible > 0) return lost.join('')
    if (!hasLoaded()) return ''
    if (calls.size === 0) return ['No calls yet.', ...lost].join(' ')
    const none =
      search.matchingKeys === undefined ? `No ${state} calls.` : `No call contains "${search.query}".`
    return [none, ...lost].join(' ')
  }

  return {
    /** Calls came or went. */
    took(before: ReadonlyMap<number, CallSummary>, newCalls: Iterable<CallSummary>) {
      let beginnings = 0
      let finished = 0
      for (const call of newCalls) {
        const callBefore = before.get(call.key)
        if (callBefore === undefined) beginnings++
        else if (call.finished && !callBefore.finished) finished++
      }
      announcer.add(beginnings, finished)
      search.calls()
    },
    draw(callsNow: ShownCallsNow) {
      const { calls, detail } = callsNow
      summary = callsNow.summary
      const visible = visibleCalls(calls, state, search.matchingKeys)
      list.draw(visible, summary?.key)
      setText(byId('list-note'), listNote(visible.length, callsNow))
      byId('clear-search').hidden = visible.length > 0 || search.matchingKeys === undefined
      drawTotals(callsNow, isOnline())
      const pane = byId('call')
      pane.hidden = summary === undefined
      // The pane still shows another call.
      pane.toggleAttribute('data-loading', detail === undefined)
      byId('nothing').hidden = summary !== undefined
      // A narrow page shows the list alone, unless there is nothing in it.
      document.body.toggleAttribute('data-empty', summary === undefined && calls.size === 0)
      if (summary === undefined) return
      drawHead(summary, timeNow())
      setText(byId('call-note'), callsNow.note)
      if (detail !== undefined && detail !== drawnCall) {
        const isOther = detail.messages !== drawnCall?.messages
        transcript.draw(detail, isOther)
        drawFacts(detail, summary)
        drawMore(detail, isOther)
        drawnCall = detail
      }
      markFound(byId('messages'), search.matchingKeys === undefined ? '' : search.query)
    },
  }
}

function drawTotals({ calls, dropped }: ShownCallsNow, isOnline: boolean): void {
  const allCalls = [...calls.values()].filter(isCall)
  const live = allCalls.filter(isLive).length
  const visibleText = dropped === 0 ? '' : `${allCalls.length} of `
  const total = `${visibleText}${count(allCalls.length + dropped, 'call')}`
  setText(byId('totals'), isOnline ? `${live} live · ${total}` : total)
  const state = isOnline ? (live === 0 ? [] : [`${live} live`]) : ['disconnected']
  setTitle([...state, 'callyard'].join(' · '))
}

/** Between updates of the ages in the list. */
const agesMs = 20_000

/** Shows how to get a first call. */
export function showTry(address: string, command: string): void {
  setText(byId('event-address'), address)
  setText(byId('try-command'), command)
  byId('try').hidden = false
}
