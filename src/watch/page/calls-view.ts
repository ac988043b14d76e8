import { count } from '../../lib/text/count.ts'
import { isCall } from '../../transcript/call-words.ts'
import type { CallSummary } from '../wire.ts'
import { drawFacts, drawHead } from './call-facts.ts'
import { createAnnouncer, createCallList } from './call-list.ts'
import { byId, copyText, setAttribute, setText } from './dom.ts'
import {
  type ConnectionState,
  isLive,
  type SelectedCall,
  type StateFilter,
  visibleCalls,
} from './page-model.ts'
import { createSearchBox, markFound } from './search-box.ts'
import { createTranscriptPanel } from './transcript-view.ts'

export interface CallsViewOptions {
  /** The reader chose a call. */
  onSelect(key: number): void
  /** The reader changed what is to be drawn. */
  onChange(): void
  /** The calls in which the words of a query stand. */
  find(query: string): Promise<readonly number[]>
  /** Draws what one page alone shows of a call; `whole` when it is not the same call as before. */
  drawMore(call: SelectedCall, whole: boolean): void
  /** The time by which live calls last, in milliseconds since the epoch; undefined while it is not known. */
  now(): number | undefined
}

/** What there is to see. */
export interface ShownCallsNow {
  readonly calls: ReadonlyMap<number, CallSummary>
  /** Calls that are no longer kept. */
  readonly dropped: number
  readonly selected: number | undefined
  /** Of the selected call. */
  readonly summary: CallSummary | undefined
  /** Undefined until it is known. */
  readonly detail: SelectedCall | undefined
  /** What the reader should know of the call. */
  readonly note: string
}

/** The list of calls and the call that is read, on the page of a tail and on that of a sandbox. */
export interface CallsView {
  /** Something of the selected call is new: the messages at these places, or all with `whole`. */
  changed(places: Iterable<number>, whole: boolean): void
  /** Calls came or went. */
  took(before: ReadonlyMap<number, CallSummary>, taken: Iterable<CallSummary>): void
  draw(shown: ShownCallsNow): void
}

export function createCallsView({ onSelect, onChange, find, drawMore, now }: CallsViewOptions): CallsView {
  const transcript = createTranscriptPanel()
  const announcer = createAnnouncer()
  const search = createSearchBox(find, onChange)
  const places = new Set<number>()
  let state: StateFilter = 'all'
  let whole = false
  let news = false
  let summary: CallSummary | undefined
  const list = createCallList({
    onSelect(key, open) {
      onSelect(key)
      if (!open) return
      document.body.dataset.view = 'call'
      // On a narrow page the list has just gone, and the focus with it.
      if (byId('calls', HTMLElement).offsetParent === null) byId('call-title', HTMLElement).focus()
    },
  })

  byId('try-copy', HTMLButtonElement).addEventListener('click', async () => {
    const command = byId('try-command', HTMLElement).textContent ?? ''
    byId('try-told', HTMLElement).replaceChildren(...(await copyText(command, 'Command')))
  })
  byId('back', HTMLElement).addEventListener('click', () => {
    document.body.dataset.view = 'list'
    document.querySelector<HTMLElement>('#calls [tabindex="0"]')?.focus()
  })
  for (const choice of document.querySelectorAll<HTMLInputElement>('input[name="state"]')) {
    choice.addEventListener('change', () => {
      state = choice.value === 'live' || choice.value === 'finished' ? choice.value : 'all'
      onChange()
    })
  }
  // How long a live call lasts changes without an event.
  window.setInterval(() => {
    const at = now()
    if (summary?.finished === false && at !== undefined) drawHead(summary, at)
  }, 1000)

  const listNote = (visible: number, { calls, dropped }: ShownCallsNow) => {
    const lost =
      dropped === 0 ? [] : [`${count(dropped, 'older call is', 'older calls are')} no longer kept.`]
    if (visible > 0) return lost.join('')
    if (calls.size === 0) return ['No calls yet.', ...lost].join(' ')
    return [search.found === undefined ? 'No such calls.' : 'Nothing found.', ...lost].join(' ')
  }

  return {
    changed(more, all) {
      news = true
      whole ||= all
      for (const place of more) places.add(place)
    },
    took(before, taken) {
      let begun = 0
      let finished = 0
      for (const call of taken) {
        const known = before.get(call.key)
        if (known === undefined) begun++
        else if (call.finished && !known.finished) finished++
      }
      announcer.add(begun, finished)
      search.calls()
    },
    draw(shown) {
      const { calls, selected, detail } = shown
      summary = shown.summary
      const visible = visibleCalls(calls, state, search.found)
      list.draw(visible, selected)
      setText(byId('list-note', HTMLElement), listNote(visible.length, shown))
      drawTotals(calls)
      const pane = byId('call', HTMLElement)
      pane.hidden = summary === undefined
      // What stands there is still another call's.
      pane.toggleAttribute('data-loading', detail === undefined)
      byId('nothing', HTMLElement).hidden = summary !== undefined
      // A narrow page shows the list alone, unless there is nothing in it.
      document.body.toggleAttribute('data-empty', summary === undefined && calls.size === 0)
      if (summary === undefined) return
      drawHead(summary, now() ?? Date.now())
      setText(byId('call-note', HTMLElement), shown.note)
      if (detail !== undefined && news) {
        transcript.draw(detail, places, whole)
        drawFacts(detail)
        drawMore(detail, whole)
        news = false
        whole = false
        places.clear()
      }
      markFound(byId('messages', HTMLElement), search.found === undefined ? '' : search.query)
    },
  }
}

function drawTotals(calls: ShownCallsNow['calls']): void {
  const all = [...calls.values()].filter(isCall)
  const live = all.filter(isLive).length
  setText(byId('totals', HTMLElement), `${live} live · ${count(all.length, 'call')}`)
  const title = live === 0 ? 'callwright' : `${live} live · callwright`
  if (document.title !== title) document.title = title
}

/** Where there is no call: what leads to one. */
export function showTry(address: string, command: string): void {
  setText(byId('event-address', HTMLElement), address)
  setText(byId('try-command', HTMLElement), command)
  byId('try', HTMLElement).hidden = false
}

/** How the page is connected, in the words of its own. */
export function drawConnection(state: ConnectionState, words: string): void {
  const shown = byId('connection', HTMLElement)
  setAttribute(shown, 'data-state', state)
  setText(shown, words)
}
