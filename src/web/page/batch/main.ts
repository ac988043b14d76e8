import type { BatchPageOpened, ShownBatch } from '../../wire.ts'
import { connect } from '../connection.ts'
import { createConnectionStatus } from '../connection-status.ts'
import { byId, oncePerFrame, setText, setTitle } from '../dom.ts'
import { listenToKeys } from '../keys.ts'
import { countOf, endBatch, formatCount } from './batch-model.ts'
import { createBatchView } from './batch-view.ts'
import type { PeoplePage, PeopleQuery } from './people-loader.ts'

let batch: ShownBatch | undefined
/** True if the people on the page may be out of date. */
let isStale = false

const schedule = oncePerFrame(draw)
const status = createConnectionStatus('batch run', () => batch !== undefined)
// The server finds people, so that these need a connection.
for (const id of ['outcome-controls', 'people-controls', 'people-pages']) byId(id).classList.add('online')
const view = createBatchView({ read: readPeople, onChange: schedule, now: status.now })
listenToKeys()
// How long live calls last changes without an event.
window.setInterval(() => {
  if (status.isOnline) view.tick()
}, 1000)

connect<BatchPageOpened, ShownBatch>({
  onStreamOpened: schedule,
  onChanges(next) {
    batch = next
    isStale = true
    schedule()
  },
  onState(state) {
    status.become(state)
    // The server waits for this before it closes.
    if (state === 'ended') view.reload()
    schedule()
  },
  retryDelay: status.retryDelay,
  endsForGood: true,
})

async function readPeople({ status: statusFilter, search, from, limit }: PeopleQuery): Promise<PeoplePage> {
  const query = new URLSearchParams({ from: String(from), limit: String(limit) })
  if (statusFilter !== undefined) query.set('status', statusFilter)
  if (search !== '') query.set('search', search)
  if (status.state === 'ended') query.set('last', '')
  const response = await fetch(`rows?${query}`)
  if (!response.ok) throw new Error(`the server responded ${response.status}`)
  const page: PeoplePage = await response.json()
  return page
}

function draw(): void {
  byId('batch-view').hidden = batch === undefined
  drawTotals()
  if (batch === undefined) return
  view.draw(status.state === 'ended' ? endBatch(batch) : batch)
  if (!isStale) return
  isStale = false
  view.changed()
}

function drawTotals(): void {
  if (batch === undefined) return
  const { name, done, people, liveTotal } = batch
  const progress = `${formatCount(done)} of ${countOf(people, 'person', 'people')} done`
  setText(byId('totals'), status.isOnline ? `${formatCount(liveTotal)} live · ${progress}` : progress)
  const state = status.isOnline ? `${formatCount(done)} of ${formatCount(people)}` : 'disconnected'
  setTitle(`${state} · ${name} · callyard`)
}
