import { timeOfDay } from '../../lib/text/date-time.ts'
import { byId, element, setAttribute, setText } from './dom.ts'
import type { ConnectionState } from './page-model.ts'

/**
 * State of the connection: text in the header, and a bar below it while disconnected. Without a connection, clocks stop and controls that
 * need the server are disabled. `hasContent` is true if the page shows anything of a run of the server.
 */
export function createConnectionStatus(server: 'tail' | 'sandbox' | 'batch run', hasContent: () => boolean) {
  const retryButton = byId('retry-now')
  const countdown = byId('offline-retry')
  let state: ConnectionState = 'connecting'
  /** Milliseconds since the epoch; undefined while connected. */
  let lostAt: number | undefined

  const become = (next: ConnectionState) => {
    state = next
    const isOffline = next !== 'live' && next !== 'connecting'
    if (!isOffline) lostAt = undefined
    else lostAt ??= Date.now()
    for (const part of [countdown, retryButton]) part.hidden = true
    setAttribute(byId('connection'), 'data-state', next)
    setText(byId('connection'), headerWords[next])
    const isForeign = next === 'other-run' && !hasContent()
    document.body.toggleAttribute('data-offline', isOffline)
    document.body.toggleAttribute('data-other-run', isForeign)
    byId('other-run').hidden = !isForeign
    byId('offline').hidden = !isOffline || isForeign
    setText(byId('offline-text'), barWords(next, server, lostAt, byId('page-command').textContent ?? ''))
    enableControls()
  }
  /** Resolves when it is time to connect again: after some seconds, or when the reader asks for it. */
  const retryDelay = () =>
    new Promise<void>(resolve => {
      const at = performance.now() + retryMs
      const tick = () => {
        const left = Math.ceil((at - performance.now()) / 1000)
        setText(countdown, `Retrying in ${Math.max(left, 1)} s.`)
        if (left <= 0) finish()
      }
      const timer = window.setInterval(tick, 250)
      const finish = () => {
        window.clearInterval(timer)
        retryButton.removeEventListener('click', finish)
        setText(countdown, 'Connecting.')
        resolve()
      }
      retryButton.addEventListener('click', finish)
      for (const part of [countdown, retryButton]) part.hidden = false
      tick()
    })
  return {
    become,
    retryDelay,
    get state() {
      return state
    },
    get isOnline() {
      return lostAt === undefined
    },
    /** Time of this machine; the time at which the connection was lost while there is none. */
    now: () => lostAt ?? Date.now(),
  }
}

const retryMs = 3000

const headerWords: Readonly<Record<ConnectionState, string>> = {
  connecting: 'Connecting',
  live: 'Connected',
  lost: 'Disconnected',
  ended: 'Disconnected',
  crowded: 'Not connected',
  'other-run': 'Not connected',
}

function barWords(state: ConnectionState, server: string, lostAt = 0, command = ''): string {
  const since = timeOfDay(lostAt)
  switch (state) {
    case 'lost':
      return `Disconnected since ${since}. Showing the last known state.`
    case 'ended':
      return `The ${server} ended at ${since}. Showing the last known state.`
    case 'crowded':
      return 'Too many pages are open. Close one, then reload this page.'
    case 'other-run':
      return `Showing the last known state. This link belongs to another run. Open the address that ${command} printed.`
    default:
      return ''
  }
}

function enableControls(): void {
  for (const controls of document.querySelectorAll<HTMLFieldSetElement>('fieldset.online'))
    controls.disabled = isOffline()
}

/** Controls that are disabled without a connection. */
export function onlineControls(...controls: readonly HTMLElement[]): HTMLFieldSetElement {
  const group = element('fieldset', { class: 'online' }, ...controls)
  group.disabled = isOffline()
  return group
}

function isOffline(): boolean {
  return document.body.hasAttribute('data-offline')
}
