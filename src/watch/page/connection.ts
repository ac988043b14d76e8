import type { Batch, StreamOpened } from '../wire.ts'
import type { ConnectionState } from './page-model.ts'

interface ConnectionHandlers {
  onStreamOpened(opening: StreamOpened): void
  onBatch(batch: Batch): void
  onState(state: ConnectionState): void
  /** Resolves when it is time to connect again. */
  retryDelay(): Promise<void>
}

/** The event stream of the tail. It is opened again for each selection, and when it breaks. */
export function connect({ onStreamOpened, onBatch, onState, retryDelay }: ConnectionHandlers) {
  let source: EventSource | undefined
  let run: string | undefined
  let version: number | undefined
  let call: number | undefined
  let ended = false
  let stopped = false
  let retrying = false

  const open = () => {
    source?.close()
    const query = new URLSearchParams()
    if (run !== undefined) query.set('run', run)
    if (version !== undefined) query.set('since', String(version))
    if (call !== undefined) query.set('call', String(call))
    const opened = new EventSource(`events?${query}`)
    source = opened
    opened.addEventListener('hello', ({ data }: MessageEvent<string>) => {
      const opening: StreamOpened = JSON.parse(data)
      if (opening.run !== run) call = undefined
      run = opening.run
      ended = false
      onState('live')
      onStreamOpened(opening)
    })
    opened.addEventListener('batch', ({ data }: MessageEvent<string>) => {
      const batch: Batch = JSON.parse(data)
      version = batch.version
      onBatch(batch)
    })
    opened.addEventListener('ended', () => {
      ended = true
      onState('ended')
    })
    opened.addEventListener('error', () => void broken(opened))
  }
  /** A browser does not say why it has no stream, and when it tries again. */
  const broken = async (failed: EventSource) => {
    const isRefused = failed.readyState === EventSource.CLOSED
    failed.close()
    const status = isRefused
      ? await fetch('events', { method: 'HEAD' }).then(({ status }) => status, ignore)
      : 0
    if (source !== failed) return
    stopped = status === tooManyPages || status === nothingHere
    if (stopped) return onState(status === tooManyPages ? 'crowded' : 'other-run')
    onState(ended ? 'ended' : 'lost')
    if (retrying) return
    retrying = true
    await retryDelay()
    retrying = false
    open()
  }
  open()
  return {
    /** Selects a call and continues from its known state. */
    select(next: number | undefined) {
      call = next
      if (!stopped && !retrying) open()
    },
  }
}

const tooManyPages = 503
/** Status of a different tail, which has its own page. */
const nothingHere = 404

function ignore(): undefined {}
