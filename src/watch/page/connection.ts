import type { Batch, Hello } from '../wire.ts'
import type { ConnectionState } from './page-model.ts'

interface ConnectionHandlers {
  onHello(hello: Hello): void
  onBatch(batch: Batch): void
  onState(state: ConnectionState): void
}

/** The event stream of the tail. It is opened again for each selection, and by the browser when it breaks. */
export function connect({ onHello, onBatch, onState }: ConnectionHandlers) {
  let source: EventSource | undefined
  let run: string | undefined
  let version: number | undefined
  let call: number | undefined
  let ended = false
  let stopped = false

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
    opened.addEventListener('error', () => {
      if (opened.readyState === EventSource.CLOSED) void refused(opened)
      else onState(ended ? 'ended' : 'lost')
    })
  }
  /** The browser tries again unless it got another answer than a stream, and does not say which. */
  const refused = async (closed: EventSource) => {
    const status = await fetch('events', { method: 'HEAD' }).then(answer => answer.status, ignore)
    if (source !== closed) return
    stopped = status === tooManyPages || status === nothingHere
    if (stopped) onState(status === tooManyPages ? 'crowded' : 'ended')
    else open()
  }
  open()
  return {
    /** Selects a call, and goes on from what is known. */
    select(next: number | undefined) {
      call = next
      if (!stopped) open()
    },
  }
}

const tooManyPages = 503
/** Of another tail, which has its own page. */
const nothingHere = 404

function ignore(): undefined {}
