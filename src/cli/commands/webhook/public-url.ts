import { randomUUID } from 'node:crypto'
import type { Receiver } from '../../../events/receive/index.ts'
import { loadTunnel, type TunnelEvent } from '../../../events/tunnel/index.ts'
import { byCase } from '../../../lib/by-case.ts'
import { endingText } from '../../../lib/process/program.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { bold, type Text, text } from '../../../lib/text/text.ts'
import type { MessageText } from '../../shell/advice.ts'
import { assertExclusive } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import type { ExposureOptions } from './flags.ts'

export interface ReachedListener extends Receiver {
  /** True if a person must copy the URL into an assistant. */
  readonly isAdvertised?: boolean
  /** Nothing is printed before it resolves, and nothing at all when it rejects; default: at once. */
  readonly after?: Promise<unknown>
  /** Called, once it is printed, when a restarted tunnel has another URL: what goes to the old one is lost. */
  onChanged?(change: { readonly url: string; readonly before: string }): void
}

export interface Exposure {
  /**
   * Public URL once it is known. Rejects with CallyardError `unreachable` if a tunnel has none in time, `cancelled` if it is closed
   * or the command is cancelled before. May be ignored.
   */
  readonly publicUrl: Promise<string>
  close(): Promise<void>
}

/**
 * Opens the tunnel of `--tunnel` or uses `--public-url`. Prints the URL once it is known, but not before `after` of the listener: to
 * stderr, or with --json as `public-url` to stdout. Other tunnel events are printed only to stderr.
 * @throws CallyardError `usage` for flags that cannot be combined, and as openTunnel does.
 */
export async function openExposure(
  { tunnel, tunnelUrl, publicUrl }: ExposureOptions,
  listener: ReachedListener,
  { output, clock, cwd, programEnv: env, signal }: Context,
): Promise<Exposure | undefined> {
  assertExclusive(
    { '--tunnel': tunnel, '--public-url': publicUrl },
    'remove --public-url; a tunnel has its own',
  )
  const { port, after } = listener
  const { origin: localUrl, pathname: path } = new URL(listener.address)
  const print = (work: () => void) => {
    if (after === undefined) work()
    else after.then(work, () => undefined)
  }
  let isKnown = false
  const announce = (url: string) => {
    isKnown = true
    listener.allowHost(new URL(url).host)
    print(() => {
      output.event({ kind: 'public-url', url }, () => undefined)
      if (!output.json) output.note(reachedText(url, listener), { isRequested: true })
    })
  }
  if (publicUrl !== undefined) {
    const url = withPath(publicUrl, path)
    announce(url)
    return { publicUrl: Promise.resolve(url), close: async () => undefined }
  }
  if (tunnel === undefined) return undefined
  const { openTunnel } = await loadTunnel()
  const { program, ready, close } = await openTunnel({
    ...{ clock, cwd, env, signal },
    command: tunnel === true ? undefined : tunnel,
    port,
    path,
    localUrl,
    pattern: tunnelUrl,
    onEvent(event) {
      if (event.kind === 'up' || event.kind === 'changed') announce(event.url)
      print(() => {
        const words = tunnelWords(event)
        if (words !== undefined) output.warn(words.message, words.hint)
        if (event.kind === 'changed') listener.onChanged?.({ url: event.url, before: event.before })
      })
    },
  })
  print(() => {
    if (!isKnown) output.note(`Waiting for the public URL of ${oneLine(program)} …`)
  })
  return { publicUrl: ready, close }
}

function reachedText(url: string, { isAdvertised }: ReachedListener): Text {
  const reached = text`Reached at\n  ${bold(url)}`
  return isAdvertised === true
    ? text`${reached}\nPoint an assistant there with\n  assistantServer: { url: ${url} }`
    : reached
}

/** Returns a random path for a listener whose public URL strangers may try. */
export function randomPath(): string {
  return `/${randomUUID()}`
}

/** A URL with a path is used unchanged. */
function withPath(publicUrl: string, path: string): string {
  const url = new URL(publicUrl)
  if (url.pathname === '/') url.pathname = path
  return url.href
}

/** Returns the message for an event of a tunnel, if any. */
function tunnelWords(event: TunnelEvent): MessageText | undefined {
  const program = `the tunnel program ${oneLine(event.program)}`
  return byCase<'kind', TunnelEvent, MessageText | undefined>('kind', event, {
    up: () => undefined,
    changed: ({ url, before }) => ({
      message: `the public URL of the tunnel changed to ${oneLine(url)}`,
      hint: `events sent to ${oneLine(before)} are lost`,
    }),
    died: ({ ending, again, lines }) => ({
      message: `${program} exited: ${oneLine(endingText(ending))}; restarting in ${again / 1000} s`,
      hint: lastLines(lines),
    }),
    'no-url': ({ after, lines }) => ({
      message: `${program} printed no public URL within ${after / 1000} s`,
      hint: `${lastLines(lines) ?? 'it printed nothing'}\n  to find another URL in its output, pass --tunnel-url <pattern>`,
    }),
  })
}

const maxLines = 5

/** Returns the last lines of output. */
function lastLines(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : lines.slice(-maxLines).map(oneLine).join('\n  ')
}
