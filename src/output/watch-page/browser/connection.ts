import type { Batch, Hello } from '../../../webhook/watch/wire.ts'

export type ConnectionState = 'connecting' | 'live' | 'lost' | 'ended'

export interface ConnectionHandlers {
  onHello(hello: Hello): void
  onBatch(batch: Batch): void
  onState(state: ConnectionState): void
}

export interface Connection {
  /** Selects a call, and goes on from what is known. */
  select(call: number | undefined): void
}

/** The event stream of the tail. It is opened anew for each selection, and by the browser when it breaks. */
export function connect({ onHello, onBatch, onState }: ConnectionHandlers): Connection {
  let source: EventSource | undefined
  let run: string | undefined
  let version: number | undefined
  let call: number | undefined
  let ended = false

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
      // The browser tries again unless the listener answered with something else: another tail, which has its own page.
      if (opened.readyState === EventSource.CLOSED) ended = true
      onState(ended ? 'ended' : 'lost')
    })
  }
  open()
  return {
    select(next) {
      call = next
      if (!ended || source?.readyState !== EventSource.CLOSED) open()
    },
  }
}
