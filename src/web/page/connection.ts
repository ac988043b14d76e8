import type { ConnectionState } from './page-model.ts'

/** First message of a stream. */
interface Opening {
  /** Distinguishes one run of the server from the next. */
  readonly run: string
}

interface ConnectionHandlers<Opened extends Opening, Changes> {
  onStreamOpened(opening: Opened): void
  onChanges(changes: Changes): void
  onState(state: ConnectionState): void
  /** Resolves when it is time to connect again. */
  retryDelay(): Promise<void>
  /** True if the server never returns once it has ended. */
  readonly endsForGood?: boolean
}

/** The event stream of a tail or a batch. It is opened again for each selection, and when it breaks. */
export function connect<Opened extends Opening, Changes extends { readonly version: number }>({
  onStreamOpened,
  onChanges,
  onState,
  retryDelay,
  endsForGood = false,
}: ConnectionHandlers<Opened, Changes>) {
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
    const eventSource = new EventSource(`events?${query}`)
    source = eventSource
    eventSource.addEventListener('hello', ({ data }: MessageEvent<string>) => {
      const opening: Opened = JSON.parse(data)
      if (opening.run !== run) call = undefined
      run = opening.run
      ended = false
      onState('live')
      onStreamOpened(opening)
    })
    eventSource.addEventListener('changes', ({ data }: MessageEvent<string>) => {
      const changes: Changes = JSON.parse(data)
      version = changes.version
      onChanges(changes)
    })
    eventSource.addEventListener('ended', () => {
      ended = true
      if (endsForGood) {
        stopped = true
        eventSource.close()
      }
      onState('ended')
    })
    eventSource.addEventListener('error', () => void broken(eventSource))
  }
  /** A browser does not say why it has no stream, and when it tries again. */
  const broken = async (failed: EventSource) => {
    const isRefused = failed.readyState === EventSource.CLOSED
    failed.close()
    const status = isRefused
      ? await fetch('events', { method: 'HEAD' }).then(
          ({ status }) => status,
          () => undefined,
        )
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
