import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import type { CallwrightError } from '../../lib/error.ts'
import { endingText, type NotStarted, type ProgramEnding } from '../../lib/process/program.ts'
import { webhookError } from '../errors.ts'
import { startTunnelLife, type TunnelLife } from './tunnel-life.ts'
import { chooseProgram, tunnelNames } from './tunnel-program.ts'

export interface TunnelOptions {
  /** As it was typed, or the name of a preset; undefined for the first preset that is installed. */
  readonly command: string | undefined
  /** Of the listener that is to be reached. */
  readonly port: number
  /** Where events go there. */
  readonly path: string
  /** The listener without its path, as this machine reaches it; default: 127.0.0.1. */
  readonly localUrl?: string | undefined
  /** Its first group, or all that it matches, is the public URL in a line of what the program prints. */
  readonly pattern?: RegExp | undefined
  readonly cwd: string
  readonly env: Environment
  readonly clock: Clock
  /** Ends the wait for the first URL; the tunnel itself stays. */
  readonly signal?: AbortSignal
  /** Whose rules split the command; default: this machine's. */
  readonly platform?: NodeJS.Platform
  /** Must not throw. */
  onEvent(event: TunnelEvent): void
}

export type TunnelEvent =
  /** Events may be sent to this URL; said again when it is the same after a restart. */
  | { readonly kind: 'up'; readonly program: string; readonly url: string }
  /** A restart gave another URL. */
  | { readonly kind: 'changed'; readonly program: string; readonly url: string; readonly before: string }
  /** Which URL was meant had to be guessed among those of several hosts; reported once. */
  | {
      readonly kind: 'several-urls'
      readonly program: string
      /** The one that is taken. */
      readonly url: string
      readonly others: readonly string[]
    }
  /** It is started once more after this many milliseconds. */
  | {
      readonly kind: 'died'
      readonly program: string
      readonly ending: ProgramEnding
      readonly lines: readonly string[]
      readonly again: number
    }
  /** No URL came for this many milliseconds; it may still. */
  | {
      readonly kind: 'no-url'
      readonly program: string
      readonly after: number
      readonly lines: readonly string[]
    }
  | { readonly kind: 'ended'; readonly program: string }

export interface Tunnel {
  /** As people call it. */
  readonly program: string
  /**
   * The first public URL. Rejects with CallwrightError `unreachable` when none came within 30 s or the program ended three times
   * without one (it is tried further all the same), `cancelled` when the tunnel is closed before. May be left alone.
   */
  readonly ready: Promise<string>
  /** Ends the program and its descendants. */
  close(): Promise<void>
}

const urlTimeoutMs = 30_000
const maxPauseMs = 30_000
/** After this time up, the next end counts as the first. */
const stableAfterMs = 60_000
const shutdownTimeoutMs = 5000
const maxRestarts = 3

/**
 * Starts a tunnel program, finds its public URL, and starts it again when it ends: after 1, 2, 4 … 30 seconds.
 * @throws CallwrightError `usage` when the program is not there, or the command cannot be read.
 */
export async function openTunnel(options: TunnelOptions): Promise<Tunnel> {
  const { port, path, cwd, env, clock, signal, onEvent, localUrl = `http://127.0.0.1:${port}` } = options
  const program = await chooseProgram({ ...options, localUrl })
  const { name } = program
  const closing = new AbortController()
  const first = firstUrl()
  let isUp = false
  let before: string | undefined
  let isGuessReported = false
  let deaths = 0

  const onUrl = (base: string, others: readonly string[]) => {
    const url = eventUrl(base, path)
    isUp = true
    if (before === undefined || before === url) onEvent({ kind: 'up', program: name, url })
    else onEvent({ kind: 'changed', program: name, url, before })
    if (others.length > 0 && !isGuessReported) {
      isGuessReported = true
      onEvent({ kind: 'several-urls', program: name, url, others })
    }
    before = url
    first.resolve(url)
  }
  const start = () => startTunnelLife({ program, port, cwd, env, clock, onUrl })
  const watch = (life: TunnelLife) => {
    const over = new AbortController()
    void life.exited.then(() => over.abort())
    clock.sleep(urlTimeoutMs, AbortSignal.any([over.signal, closing.signal])).then(
      () => {
        if (isUp) return
        onEvent({ kind: 'no-url', program: name, after: urlTimeoutMs, lines: life.lines() })
        const details = { program: name, seconds: urlTimeoutMs / 1000, printed: life.lines() }
        first.reject(webhookError('unreachable', 'tunnel-without-url', details))
      },
      () => undefined,
    )
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
      if (deaths >= maxRestarts) {
        const details = { program: name, reason: endingText(ending), printed: current.lines() }
        first.reject(webhookError('unreachable', 'tunnel-ends', details))
      }
      await clock.sleep(again, closing.signal).catch(() => undefined)
      if (closing.signal.aborted) return
    }
  }

  const life = await start()
  if (life.failure !== undefined) throw notStarted(life.failure, name)
  const kept = keepUp(life)
  let closed: Promise<void> | undefined
  const stopWaiting = () => first.reject(webhookError('cancelled', 'tunnel-closed', { program: name }))
  if (signal?.aborted === true) stopWaiting()
  else signal?.addEventListener('abort', stopWaiting, { once: true })
  const close = async () => {
    closing.abort()
    signal?.removeEventListener('abort', stopWaiting)
    stopWaiting()
    await kept
    onEvent({ kind: 'ended', program: name })
  }
  return {
    program: name,
    ready: first.promise,
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** A program that is not there will not be there in a second either. */
function notStarted(failure: NotStarted, program: string): CallwrightError {
  return failure.code === 'ENOENT'
    ? webhookError('usage', 'tunnel-not-found', { program, known: tunnelNames })
    : webhookError('usage', 'tunnel-not-started', { program, reason: endingText(failure) })
}

/** The tunnel's address with the listener's path behind it. */
function eventUrl(base: string, path: string): string {
  const url = new URL(base)
  return url.origin + (url.pathname === '/' ? path : `${url.pathname}${path === '/' ? '' : path}`)
}

/** A promise that may be left alone: its rejection is handled. */
function firstUrl() {
  let resolve: (url: string) => void = () => {}
  let reject: (error: CallwrightError) => void = () => {}
  const promise = new Promise<string>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}
