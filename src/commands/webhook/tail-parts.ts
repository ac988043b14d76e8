import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { count } from '../../lib/text/count.ts'
import { quoteForShell } from '../../lib/text/escape.ts'
import { isPageName, openPage, type PageHints } from '../../watch/index.ts'
import {
  type Exec,
  type ExecTotals,
  type Forwarder,
  type ForwardTarget,
  type ForwardTotals,
  loadRecorder,
  type Recorder,
  type RecorderEvent,
  type RecorderTotals,
  type Watcher,
} from '../../webhook/index.ts'
import { tellPage } from '../tell-page.ts'
import { eventTimeout } from './flags.ts'
import { forwardTargets, openExec, openForwarding } from './open-handlers.ts'
import type { ListenOptions } from './tail.ts'

/** What a tail does with events beside printing them. */
export interface TailParts {
  readonly recorder: Recorder | undefined
  readonly forwarder: Forwarder | undefined
  readonly exec: Exec | undefined
  readonly watch: OpenedWatch | undefined
  /** Gives what is under way the time of `--drain`; what all came to. */
  finish(): Promise<PartTotals>
  /** Breaks off what is under way, unless `finish` was called. Never rejects. */
  close(): Promise<void>
}

export interface PartTotals {
  readonly recording: RecorderTotals | undefined
  readonly forwarding: ForwardTotals | undefined
  readonly exec: ExecTotals | undefined
}

/** @throws CallwrightError as each of the parts does; those that are open by then are closed. */
export async function openTailParts(options: ListenOptions, context: Context): Promise<TailParts> {
  const { output } = context
  const { record, drain } = options
  const closers: (() => Promise<unknown>)[] = []
  const opened = <Part>(part: Part | undefined, close: (part: Part) => Promise<unknown>) => {
    if (part !== undefined) closers.unshift(() => close(part))
    return part
  }
  const close = async () => {
    for (const each of closers.splice(0)) await each()
  }
  try {
    const recorder = opened(await openRecording(options, options.requireHeader?.name, context), part =>
      part.close(),
    )
    const forwarder = opened(await openForwarding(options, context), part => part.close(0))
    const exec = opened(await openExec(options, context), part => part.close(0))
    const watch = opened(await openWatch(options, forwardTargets(options), context), part => part.close())
    return {
      recorder,
      forwarder,
      exec,
      watch,
      async finish() {
        noteWait({ forwarder, exec, drain }, output)
        const [forwarding, executed] = await Promise.all([forwarder?.close(drain), exec?.close(drain)])
        const recording = await recorder?.close()
        warnMissing(recording, record, output)
        return { recording, forwarding, exec: executed }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function noteWait(
  { forwarder, exec, drain }: Pick<TailParts, 'forwarder' | 'exec'> & { readonly drain: number },
  output: Context['output'],
): void {
  const waiting = [
    ...((forwarder?.left ?? 0) > 0 ? [`${count(forwarder?.left ?? 0, 'event')} to be forwarded`] : []),
    ...((exec?.left ?? 0) > 0 ? [`${count(exec?.left ?? 0, 'message')} for --exec`] : []),
  ]
  if (waiting.length > 0) {
    output.note(
      `Waiting up to ${drain / 1000} s for ${waiting.join(' and ')}; Ctrl-C ends at once, and --resume delivers later …`,
    )
  }
}

function warnMissing(
  totals: RecorderTotals | undefined,
  record: string | undefined,
  output: Context['output'],
): void {
  if (totals?.missingSince === undefined) return
  const { missing, missingSince } = totals
  output.warn(
    `${count(missing, 'event is', 'events are')} missing in ${record}, the first from ${missingSince}`,
  )
}

/**
 * The recorder that `--record` asks for. It warns at once, also with --quiet.
 * @throws CallwrightError `conflict` or `usage`, as openRecorder does.
 */
async function openRecording(
  { record, rotate }: Pick<ListenOptions, 'record' | 'rotate'>,
  secretHeader: string | undefined,
  context: Pick<Context, 'clock' | 'output' | 'resolve'>,
): Promise<Recorder | undefined> {
  if (record === undefined) {
    if (rotate === undefined) return undefined
    throw new CallwrightError('usage', '--rotate is for a recording', { hint: 'give its file with --record' })
  }
  const { openRecorder } = await loadRecorder()
  return openRecorder({
    path: context.resolve(record),
    rotate,
    secretHeader,
    clock: context.clock,
    onEvent: event => context.output.warn(...eventText(event, record)),
  })
}

function eventText(event: RecorderEvent, file: string): [string, string?] {
  switch (event.kind) {
    case 'torn':
      return [
        `the last line of ${file} was torn by an earlier end; recording goes on below it`,
        'webhook replay skips that line',
      ]
    case 'readable-by-others':
      return [
        `${file} can be read by others (mode ${event.mode.toString(8).padStart(4, '0')})`,
        `what callers say is recorded there; chmod 600 ${file}`,
      ]
    case 'removed':
      return [`${file} was removed while it was recorded into; a new one is begun`]
    case 'not-rotated':
      return [`${file} cannot be put aside and grows on: ${event.reason}`]
    case 'failing':
      return [
        `not recorded since ${event.since}: ${event.reason}`,
        'what arrives is still shown and kept in memory for as long as there is room; recording goes on once the file can be written',
      ]
    case 'resumed':
      return [
        event.missing === 0
          ? `recording into ${file} goes on; nothing is missing`
          : `recording into ${file} goes on; ${event.missing} events are missing`,
      ]
  }
}

export interface OpenedWatch extends Watcher {
  /** Says where the page is, once the listener's URL is known. */
  listening(url: string): void
  /** Tells open pages that the tail has ended. To be called before the tail's `close`, which breaks their streams. */
  close(): Promise<void>
}

/**
 * The page of `--ui`; undefined without it.
 * @throws CallwrightError `usage` when browsers of this machine would not reach the listener by a name that means this machine.
 */
export async function openWatch(
  { ui, host, path, requireHeader }: Pick<ListenOptions, 'ui' | 'host' | 'path' | 'requireHeader'>,
  targets: readonly ForwardTarget[],
  context: Pick<Context, 'clock' | 'options' | 'output' | 'signal'>,
): Promise<OpenedWatch | undefined> {
  if (ui !== true) return undefined
  const { clock, output, signal } = context
  if (!isPageName(host) && !everyAddress.includes(host)) {
    throw new CallwrightError(
      'usage',
      `--ui shows its page to this machine alone, and ${host} is another address`,
      {
        hint: 'leave --host out, or give 127.0.0.1, ::1, 0.0.0.0 or ::',
      },
    )
  }
  const watch = await openPage({
    clock,
    targets,
    timeout: eventTimeout(context),
    eventPath: path,
    requiredHeader: requireHeader?.name,
    hints: pageHints(requireHeader?.name),
  })
  const close = async () => {
    signal.removeEventListener('abort', watch.close)
    watch.close()
  }
  // Before the tail's own listener, so that pages hear of the end before their streams break.
  signal.addEventListener('abort', watch.close, { once: true })
  return {
    take: watch.take,
    serve: watch.serve,
    listening(url) {
      tellPage('The calls are', new URL(watch.path, url).href, output)
    },
    close,
  }
}

/** What the page says of commands. The value of a required header is the tail's secret. */
export function pageHints(requiredHeader: string | undefined): PageHints {
  const header = requiredHeader === undefined ? '' : ` --header ${quoteForShell(`${requiredHeader}: …`)}`
  return {
    forward: 'Start the tail with --forward <url>.',
    trigger: `callwright webhook trigger call --to {address}${header}`,
  }
}

/** A listener on all addresses is on those of loopback too. */
const everyAddress = ['0.0.0.0', '::']
