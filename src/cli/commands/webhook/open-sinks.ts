import type { Guard } from '../../../calls/guard/index.ts'
import type { RequiredHeader } from '../../../events/receive/index.ts'
import { loadRecorder, type RecorderEvent, type RecorderTotals } from '../../../events/recordings/index.ts'
import { byCase } from '../../../lib/by-case.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { quoteForShell } from '../../../lib/text/escape.ts'
import {
  type CurrentRules,
  isPageName,
  openPage,
  type PageFigures,
  type PageHints,
} from '../../../web/index.ts'
import type { Context, Output } from '../../shell/context.ts'
import { ownCommand } from '../../shell/render/next-steps.ts'
import { eventTimeout } from './flags.ts'
import { openTailGuard } from './open-guard.ts'
import { openExec, openForwarding } from './open-handlers.ts'
import type { TailSummary } from './print-events.ts'
import type { ListenOptions } from './tail-flags.ts'

export type PartTotals = Pick<TailSummary, 'recording' | 'forwarding' | 'exec' | 'guard'>

/** Sinks of a tail other than the printer. */
export type TailParts = Awaited<ReturnType<typeof openTailParts>>

/** @throws CallyardError as each sink does; the open ones are closed then. */
export async function openTailParts(options: ListenOptions, context: Context) {
  const { output } = context
  const { record, drain, relay } = options
  const closers: (() => unknown)[] = []
  const close = async () => {
    for (const closer of closers.splice(0)) await closer()
  }
  try {
    const recorder = await startRecording(options, context)
    closers.unshift(() => recorder?.close())
    const forwarder = await openForwarding(options, context)
    closers.unshift(() => forwarder?.close(0))
    const exec = await openExec(options, context)
    closers.unshift(() => exec?.close(0))
    const guard = await openTailGuard(options, context)
    closers.unshift(() => guard?.close(0))
    const tailPage = await openTailPage(options, context, guard)
    closers.unshift(() => tailPage?.close())
    return {
      recorder,
      forwarder,
      exec,
      guard,
      tailPage,
      /** Waits up to `--drain` for pending work. */
      async finish(): Promise<PartTotals> {
        const waiting = [
          ...(forwarder?.left ? [`${count(forwarder.left, 'event')} to be forwarded`] : []),
          ...(exec?.left ? [`${count(exec.left, 'message')} for --exec`] : []),
          ...(guard?.left ? [`${count(guard.left, 'alert')} of --guard`] : []),
        ]
        const later =
          relay !== undefined && (forwarder?.left || exec?.left)
            ? ', and leave events to the next tail of this name'
            : forwarder?.left
              ? ', and deliver events later with --resume'
              : ''
        const until = `Waiting up to ${drain / 1000} s for ${waiting.join(' and ')}`
        if (waiting.length > 0 && drain > 0) output.note(`${until}; press Ctrl-C to exit now${later}`)
        const [forwarding, executed, guarded] = await Promise.all([
          forwarder?.close(drain),
          exec?.close(drain),
          guard?.close(drain),
        ])
        const recording = await recorder?.close()
        warnOfMissing(recording, record, output)
        return { recording, forwarding, exec: executed, guard: guarded }
      },
      /** Breaks off what is under way, unless `finish` was called. Never rejects. */
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface RecordingFlags {
  readonly record?: string | undefined
  readonly rotate?: number | undefined
  readonly requireHeader?: RequiredHeader | undefined
  readonly keepSecrets?: boolean | undefined
}

/**
 * The recorder that `--record` asks for. It warns at once, also with --quiet.
 * @throws CallyardError `conflict` or `usage`, as openRecorder does.
 */
export async function startRecording(
  { record, rotate, requireHeader, keepSecrets }: RecordingFlags,
  context: Context,
) {
  if (record === undefined) return undefined
  const { openRecorder } = await loadRecorder()
  return openRecorder({
    path: context.resolve(record),
    rotate,
    secretHeader: requireHeader?.name,
    keepSecrets,
    clock: context.clock,
    onEvent: event => context.output.warn(...eventText(event, record)),
  })
}

/** Warns, when a recording ends, about events that could not be recorded. */
export function warnOfMissing(
  totals: RecorderTotals | undefined,
  file: string | undefined,
  output: Output,
): void {
  if (totals?.missingSince === undefined) return
  const rejected = count(totals.missing, 'event was', 'events were')
  output.warn(
    `${rejected} rejected because ${file} could not be written, the first at ${totals.missingSince}`,
  )
}

function eventText(event: RecorderEvent, file: string): [string, string?] {
  return byCase('kind', event, {
    torn: () => [
      `the last line of ${file} is incomplete; recording continues below it`,
      'webhook replay skips that line',
    ],
    'readable-by-others': ({ mode }) => [
      `${file} can be read by others (mode ${mode.toString(8).padStart(4, '0')})`,
      `what callers say is recorded there; chmod 600 ${file}`,
    ],
    removed: () => [`${file} was removed while it was recorded into; a new one is begun`],
    'not-rotated': ({ reason }) => [`${file} cannot be put aside and grows on: ${reason}`],
    failing: ({ since, reason }) => [
      `not recorded since ${since}: ${reason}`,
      'events are not acknowledged until the file can be written, so that they can be sent again',
    ],
    resumed: ({ missing }) => [
      `recording to ${file} again; ${count(missing, 'event was', 'events were')} rejected`,
    ],
  })
}

/**
 * The page of `--ui`; undefined without it.
 * @throws CallyardError `usage` when browsers of this machine would not reach the listener by a name that means this machine.
 */
export async function openTailPage(options: ListenOptions, context: Context, guard?: Guard) {
  const { ui, host, path, requireHeader, targets, relay, stream } = options
  if (ui !== true) return undefined
  if (!isPageName(host) && !everyAddress.includes(host)) {
    const message = `--ui shows its page to this machine alone, and ${host} is another address`
    throw new CallyardError('usage', message, {
      hint: 'remove --host, or use 127.0.0.1, ::1, 0.0.0.0 or ::',
    })
  }
  const rules = guard && (await openRules(guard))
  const tailPage = await openPage({
    clock: context.clock,
    targets,
    timeout: eventTimeout(context),
    eventPath: path,
    stream: relay && stream,
    passHeaders: options.headers,
    requiredHeader: requireHeader?.name,
    hints: pageHints(requireHeader?.name, context),
    figures: await openFigures(context),
    rules: rules?.current,
  })
  rules?.onChange(tailPage.changed)
  return tailPage
}

async function openFigures({ settings }: Context): Promise<PageFigures> {
  const [{ drawFigures }, { loadSectionsStyle }, { project }] = await Promise.all([
    import('../../shell/call-figures/page-figures.ts'),
    import('../../shell/call-figures/sections.ts'),
    settings(),
  ])
  const facts = { words: project?.settings.outcomes }
  return { style: await loadSectionsStyle(), facts, draw: drawFigures }
}

/** The rules of a guard for a page. */
async function openRules(guard: Guard) {
  const { drawRules } = await import('../../shell/call-figures/rules.ts')
  let version = 0
  return {
    current: (): CurrentRules => ({
      version,
      show() {
        const rules = guard.status()
        const isFiring = rules.filter(({ firing }) => firing.length > 0)
        return { firing: isFiring.length, drawing: drawRules(rules) }
      },
    }),
    onChange(changed: () => void) {
      guard.onCheck(() => {
        version += 1
        changed()
      })
    },
  }
}

/** Returns the page's hints about commands. The value of a required header is secret. */
export function pageHints(requiredHeader: string | undefined, context: Context): PageHints {
  const header = requiredHeader === undefined ? '' : ` --header ${quoteForShell(`${requiredHeader}: …`)}`
  return {
    forward: 'Start the tail with --forward <url>.',
    pageCommand: ownCommand('webhook tail --ui', context),
    trigger: ownCommand(`webhook trigger call --to {address}${header}`, context),
  }
}

/** A listener on all addresses is on those of loopback too. */
const everyAddress = ['0.0.0.0', '::']
