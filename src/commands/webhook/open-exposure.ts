import { randomUUID } from 'node:crypto'
import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { endingText } from '../../lib/process/start-program.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { bold, type Text, text } from '../../lib/text/text.ts'
import { loadTunnel, type TunnelEvent } from '../../webhook/index.ts'
import type { ExposureOptions } from './flags.ts'

/** The listener that is to be reached. */
export interface ReachedListener {
  readonly port: number
  /** Where events go. */
  readonly path: string
  /** Without its path, as this machine reaches it; on 127.0.0.1 unless told. */
  readonly localUrl?: string
  /** Takes requests addressed to this host too. */
  allowHost(name: string): void
  /** Whether a person is to give the URL to an assistant. */
  readonly isAdvertised?: boolean
  /** Nothing is printed before it resolves, and nothing at all when it rejects; at once without it. */
  readonly after?: Promise<unknown>
  /** Told, once it is printed, that a restarted tunnel has another URL: what goes to the one before is lost. */
  onChanged?(change: UrlChange): void
}

export interface UrlChange {
  readonly url: string
  readonly before: string
}

export interface Exposure {
  /**
   * What the service is given, once it is known. Rejects with CallwrightError `unreachable` when a tunnel gives none in time,
   * `cancelled` when it is closed or the command is cancelled before. May be left alone.
   */
  readonly publicUrl: Promise<string>
  /** Ends the tunnel. */
  close(): Promise<void>
}

/**
 * What `--tunnel` or `--public-url` asks for. The URL is told as soon as it is known, but not before `after` of the
 * listener: on stderr, with --json as `public-url` on stdout instead. What becomes of a tunnel is told on stderr alone.
 * @throws CallwrightError `usage` for flags that do not go together, and as openTunnel does.
 */
export async function openExposure(
  { tunnel, tunnelUrl, publicUrl }: ExposureOptions,
  listener: ReachedListener,
  {
    output,
    clock,
    cwd,
    env,
    signal,
    platform,
  }: Pick<Context, 'output' | 'clock' | 'cwd' | 'env' | 'signal' | 'platform'>,
): Promise<Exposure | undefined> {
  if (tunnel === undefined && tunnelUrl !== undefined) {
    throw new CallwrightError('usage', '--tunnel-url is for what a tunnel program prints', {
      hint: 'name the program with --tunnel; a URL that you have already goes into --public-url',
    })
  }
  const { port, path, localUrl, after } = listener
  // Whether it rejects is the caller's affair.
  after?.catch(() => undefined)
  const say = (print: () => void) => {
    if (after === undefined) print()
    else after.then(print, () => undefined)
  }
  let isTold = false
  const announce = (url: string) => {
    isTold = true
    listener.allowHost(new URL(url).host)
    say(() => {
      output.event({ kind: 'public-url', url }, () => undefined)
      if (!output.json) output.note(reachedText(url, listener), { asked: true })
    })
  }
  if (publicUrl !== undefined) {
    if (tunnel !== undefined) {
      throw new CallwrightError('usage', '--tunnel and --public-url exclude each other', {
        hint: 'a tunnel gives its own public URL',
      })
    }
    const url = withPath(publicUrl, path)
    announce(url)
    return { publicUrl: Promise.resolve(url), close: async () => undefined }
  }
  if (tunnel === undefined) return undefined
  const { openTunnel } = await loadTunnel()
  const opened = await openTunnel({
    command: tunnel === true ? undefined : tunnel,
    port,
    path,
    localUrl,
    pattern: tunnelUrl,
    cwd,
    env,
    clock,
    platform,
    onEvent(event) {
      if (event.kind === 'up' || event.kind === 'changed') announce(event.url)
      say(() => {
        const told = eventText(event)
        if (told !== undefined) output.warn(told.text, told.hint)
        if (event.kind === 'changed') listener.onChanged?.({ url: event.url, before: event.before })
      })
    },
  })
  say(() => {
    if (!isTold) output.note(`Waiting for the public URL of ${oneLine(opened.program)} …`)
  })
  return { publicUrl: unlessCancelled(opened.ready, signal), close: opened.close }
}

function reachedText(url: string, { isAdvertised }: ReachedListener): Text {
  const reached = text`Reached at\n  ${bold(url)}`
  return isAdvertised === true
    ? text`${reached}\nPoint an assistant there with\n  assistantServer: { url: ${url} }`
    : reached
}

/** Nobody waits for a URL after Ctrl-C. */
function unlessCancelled(ready: Promise<string>, signal: AbortSignal): Promise<string> {
  const cancelled = new Promise<never>((_resolve, reject) => {
    const cancel = () =>
      reject(new CallwrightError('cancelled', 'cancelled before the tunnel had a public URL'))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
  })
  const url = Promise.race([ready, cancelled])
  url.catch(() => undefined)
  return url
}

/** Where events go, for a listener whose public URL strangers may try. */
export function randomPath(): string {
  return `/${randomUUID()}`
}

/** A URL that names a path is meant as it is. */
function withPath(publicUrl: string, path: string): string {
  const url = new URL(publicUrl)
  if (url.pathname === '/') url.pathname = path
  return url.href
}

interface Told {
  readonly text: string
  readonly hint: string | undefined
}

/** What a person should know of it, if anything. */
function eventText(event: TunnelEvent): Told | undefined {
  const program = `the tunnel program ${oneLine(event.program)}`
  switch (event.kind) {
    case 'up':
    case 'ended':
      return undefined
    case 'changed':
      return {
        text: `the tunnel has another public URL: ${oneLine(event.url)}`,
        hint: `events that go to ${oneLine(event.before)} are lost`,
      }
    case 'several-urls':
      return {
        text: `${program} printed URLs of several hosts; ${oneLine(event.url)} is taken`,
        hint: `others are ${hostsText(event.others)}; --tunnel-url <pattern> tells the right one`,
      }
    case 'died':
      return {
        text: `${program} ended: ${oneLine(endingText(event.ending))}; started again in ${event.again / 1000} s`,
        hint: lastLines(event.lines),
      }
    case 'no-url':
      return {
        text: `${program} printed no public URL within ${event.after / 1000} s`,
        hint:
          lastLines(event.lines) ??
          'it printed nothing; --tunnel-url <pattern> tells the URL among what it prints',
      }
  }
}

const maxHosts = 5

function hostsText(urls: readonly string[]): string {
  const hosts = urls.slice(0, maxHosts).map(url => oneLine(new URL(url).host))
  return [...hosts, ...(urls.length > maxHosts ? [`${urls.length - maxHosts} more`] : [])].join(', ')
}

const maxLines = 5

/** What it printed last. */
function lastLines(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : lines.slice(-maxLines).map(oneLine).join('\n  ')
}
