import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { excerpt } from '../../output/layout.ts'
import { bold, text } from '../../output/text.ts'
import { endingText } from '../../webhook/processes/start-program.ts'
import type { TunnelNews } from '../../webhook/tunnel/tunnel.ts'
import type { ReachOptions } from './reach-options.ts'

/** The listener that is to be reached. */
export interface ReachedListener {
  readonly port: number
  /** Where events go. */
  readonly path: string
  /** Without its path, as this machine reaches it; on 127.0.0.1 unless told. */
  readonly localUrl?: string
  /** Takes requests addressed to this host too. */
  allowHost(name: string): void
}

export interface Reach {
  /**
   * What the service is given, once it is known. Rejects with CliError `unreachable` when a tunnel gives none in time,
   * `cancelled` when it is closed or the command is cancelled before. May be left alone.
   */
  readonly publicUrl: Promise<string>
  /** Ends the tunnel. */
  close(): Promise<void>
}

/**
 * What `--tunnel` or `--public-url` asks for. The URL is told as soon as it is known, on stderr, and with --json as
 * `public-url` on stdout; so is what becomes of a tunnel.
 * @throws CliError `usage` for flags that do not go together, and as openTunnel does.
 */
export async function openReach(
  { tunnel, tunnelUrl, publicUrl }: ReachOptions,
  listener: ReachedListener,
  { output, clock, cwd, env, signal }: Pick<Context, 'output' | 'clock' | 'cwd' | 'env' | 'signal'>,
): Promise<Reach | undefined> {
  if (tunnel === undefined && tunnelUrl !== undefined) {
    throw new CliError('usage', '--tunnel-url is for what a tunnel program prints', {
      hint: 'name the program with --tunnel; a URL that you have already goes into --public-url',
    })
  }
  const announce = (url: string) => {
    listener.allowHost(new URL(url).host)
    output.event({ kind: 'public-url', url }, () => undefined)
    if (!output.json) output.note(text`Events reach this listener at ${bold(url)}`)
  }
  if (publicUrl !== undefined) {
    if (tunnel !== undefined) {
      throw new CliError('usage', '--tunnel and --public-url exclude each other', {
        hint: 'a tunnel gives its own public URL',
      })
    }
    const url = withPath(publicUrl, listener.path)
    announce(url)
    return { publicUrl: Promise.resolve(url), close: async () => undefined }
  }
  if (tunnel === undefined) return undefined
  const { openTunnel } = await import('../../webhook/tunnel/tunnel.ts')
  const { port, path, localUrl } = listener
  const opened = await openTunnel({
    command: tunnel === true ? undefined : tunnel,
    port,
    path,
    localUrl,
    pattern: tunnelUrl,
    cwd,
    env,
    clock,
    tell(news) {
      if (news.kind === 'up' || news.kind === 'changed') announce(news.url)
      warn(news, output)
    },
  })
  return { publicUrl: unlessCancelled(opened.ready, signal), close: opened.close }
}

/** Nobody waits for a URL after Ctrl-C. */
function unlessCancelled(ready: Promise<string>, signal: AbortSignal): Promise<string> {
  const cancelled = new Promise<never>((_resolve, reject) => {
    const cancel = () => reject(new CliError('cancelled', 'cancelled before the tunnel had a public URL'))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
  })
  const url = Promise.race([ready, cancelled])
  url.catch(() => undefined)
  return url
}

/** A URL that names a path is meant as it is. */
function withPath(publicUrl: string, path: string): string {
  const url = new URL(publicUrl)
  if (url.pathname === '/') url.pathname = path
  return url.href
}

function warn(news: TunnelNews, output: Context['output']): void {
  const { program } = news
  if (news.kind === 'changed') {
    output.warn(`the tunnel has another public URL: ${news.url}`, `events that go to ${news.before} are lost`)
  }
  if (news.kind === 'died') {
    const ending = `the tunnel program ${program} ended: ${endingText(news.ending)}`
    output.warn(`${ending}; started again in ${news.again / 1000} s`, lastLines(news.lines))
  }
  if (news.kind === 'no-url') {
    output.warn(
      `the tunnel program ${program} printed no public URL within ${news.after / 1000} s`,
      lastLines(news.lines) ??
        'it printed nothing; --tunnel-url <pattern> tells the URL among what it prints',
    )
  }
}

const mostLines = 5

/** What it printed last. */
function lastLines(lines: readonly string[]): string | undefined {
  return lines.length === 0
    ? undefined
    : lines
        .slice(-mostLines)
        .map(line => excerpt(line))
        .join('\n  ')
}
