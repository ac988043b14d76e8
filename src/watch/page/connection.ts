import type { Batch, Hello } from '../wire.ts'
import type { ConnectionState } from './page-model.ts'

interface ConnectionHandlers {
  onHello(hello: Hello): void
  onBatch(batch: Batch): void
  onState(state: ConnectionState): void
  /** Resolves when it is time to connect again. */
  retryDelay(): Promise<void>
}

/** The event stream of the tail. It is opened again for each selection, and when it breaks. */
export function connect({ onHello, onBatch, onState, retryDelay }: ConnectionHandlers) {
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
      const hello: Hello = JSON.parse(data)
      if (hello.run !== run) call = undefined
      run = hello.run
      ended = false
      onState('live')
      onHello(hello)
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
    /** Selects a call, and goes on from what is known. */
    select(next: number | undefined) {
      call = next
      if (!stopped && !retrying) open()
    },
  }
}

const tooManyPages = 503
/** Of another tail, which has its own page. */
const nothingHere = 404

function ignore(): undefined {}
