import { type Clock, startTimer } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import { lazy } from '../../lib/lazy.ts'
import { findMissingProgram } from '../../lib/process/missing-program.ts'
import { endingText, type ProgramEnding } from '../../lib/process/program.ts'
import { createDeferred } from '../../lib/queue.ts'
import { startTunnelLife, type TunnelLife } from './tunnel-life.ts'
import { chooseProgram, type ProgramOptions, tunnelNotFound } from './tunnel-program.ts'

export { installedPresets } from './tunnel-program.ts'

export interface TunnelOptions extends ProgramOptions {
  readonly path: string
  readonly clock: Clock
  /** Ends the wait for the first URL; the tunnel itself stays. */
  readonly signal?: AbortSignal
  /** Must not throw. */
  onEvent(event: TunnelEvent): void
}

/** State of a tunnel; `program` is its display name. */
export type TunnelEvent = { readonly program: string } & (
  | /** Events may be sent to this URL; said again when it is the same after a restart. */
  { readonly kind: 'up'; readonly url: string }
  /** A restart gave another URL. */
  | { readonly kind: 'changed'; readonly url: string; readonly before: string }
  /** It is started again after this many milliseconds. */
  | {
      readonly kind: 'died'
      readonly ending: ProgramEnding
      readonly lines: readonly string[]
      readonly again: number
    }
  /** No URL came for this many milliseconds; it may still. */
  | { readonly kind: 'no-url'; readonly after: number; readonly lines: readonly string[] }
)

const urlTimeoutMs = 30_000
const maxPauseMs = 30_000
/** After this time up, the next end counts as the first. */
const stableAfterMs = 60_000
const shutdownTimeoutMs = 5000
const maxRestarts = 3

/**
 * Starts a tunnel program, finds its public URL, and starts it again when it ends: after 1, 2, 4 … 30 seconds.
 * @throws CallyardError `usage` if the program is missing or the shell cannot be started, and as chooseProgram does
 */
export async function openTunnel(options: TunnelOptions) {
  const { path, clock, signal, onEvent } = options
  const program = await chooseProgram(options)
  const { name, command } = program
  const missing = await findMissingProgram(command, options)
  if (missing !== undefined) throw tunnelNotFound(missing)
  const closing = new AbortController()
  const first = createDeferred<string>()
  // It may be left alone: its rejection is handled.
  first.promise.catch(() => undefined)
  let isUp = false
  let before: string | undefined
  let deaths = 0

  const onUrl = (base: string) => {
    const url = eventUrl(base, path)
    isUp = true
    if (before === undefined || before === url) onEvent({ kind: 'up', program: name, url })
    else onEvent({ kind: 'changed', program: name, url, before })
    before = url
    first.resolve(url)
  }
  const start = () => startTunnelLife({ ...options, program, onUrl })
  const watch = (life: TunnelLife) => {
    const onTime = () => {
      if (isUp || closing.signal.aborted) return
      onEvent({ kind: 'no-url', program: name, after: urlTimeoutMs, lines: life.lines() })
      first.reject(withoutUrl(name, life.lines()))
    }
    void life.exited.then(startTimer(urlTimeoutMs, onTime, clock))
  }
  /** Resolves when the tunnel is closed and its program has ended. */
  const keepUp = async (life: TunnelLife) => {
    for (let current = life; ; current = await start()) {
      const since = clock.now()
      const end = () => void current.end(shutdownTimeoutMs)
      closing.signal.addEventListener('abort', end, { once: true })
      if (closing.signal.aborted) end()
      else watch(current)
      await current.exited
      // Descendants may outlive it.
      await current.end(shutdownTimeoutMs)
      const ending = await current.ended
      closing.signal.removeEventListener('abort', end)
      isUp = false
      if (closing.signal.aborted) return
      deaths = clock.now() - since >= stableAfterMs ? 1 : deaths + 1
      const again = Math.min(1000 * 2 ** (deaths - 1), maxPauseMs)
      onEvent({ kind: 'died', program: name, ending, lines: current.lines(), again })
      if (deaths >= maxRestarts) first.reject(tunnelEnds(name, endingText(ending), current.lines()))
      await clock.sleep(again, closing.signal).catch(() => undefined)
      if (closing.signal.aborted) return
    }
  }

  const life = await start()
  if (life.failure !== undefined) throw tunnelNotStarted(name, endingText(life.failure))
  const upkeep = keepUp(life)
  const stopWaiting = () => first.reject(tunnelClosed(name))
  if (signal?.aborted === true) stopWaiting()
  else signal?.addEventListener('abort', stopWaiting, { once: true })
  return {
    /** Display name. */
    program: name,
    /**
     * The first public URL. Rejects with CallyardError `unreachable` if none appears within 30 s or the program exits three times
     * without one (attempts continue), `cancelled` if the tunnel is closed before. May be ignored.
     */
    ready: first.promise,
    /** Ends the program and its descendants. */
    close: lazy(async () => {
      closing.abort()
      signal?.removeEventListener('abort', stopWaiting)
      stopWaiting()
      await upkeep
    }),
  }
}

/** The tunnel's address with the listener's path behind it. */
function eventUrl(base: string, path: string): string {
  const url = new URL(base)
  return url.origin + (url.pathname === '/' ? path : `${url.pathname}${path === '/' ? '' : path}`)
}

const tryItYourself = 'try running it yourself; if it prints another URL, give a pattern for it'

function withoutUrl(program: string, printed: readonly string[]): CallyardError {
  const seconds = urlTimeoutMs / 1000
  return new CallyardError('unreachable', `${program} printed no public URL within ${seconds} s`, {
    code: 'tunnel-without-url',
    hint: tryItYourself,
    details: { program, seconds, printed },
  })
}

const tunnelEnds = (program: string, reason: string, printed: readonly string[]) =>
  new CallyardError('unreachable', `${program} exited immediately: ${reason}`, {
    code: 'tunnel-ends',
    hint: tryItYourself,
    details: { program, reason, printed },
  })

const tunnelNotStarted = (program: string, reason: string) =>
  new CallyardError('usage', `the tunnel program ${program} ${reason}`, {
    code: 'tunnel-not-started',
    details: { program, reason },
  })

const tunnelClosed = (program: string) =>
  new CallyardError('cancelled', `the tunnel was closed before ${program} printed a public URL`, {
    code: 'tunnel-closed',
    details: { program },
  })
