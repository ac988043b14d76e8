import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { isPageName, openPage } from '../../watch/index.ts'
import type { ForwardTarget, Watcher } from '../../webhook/index.ts'
import { eventTimeout } from './receiver-flags.ts'
import type { ListenOptions } from './tail.ts'

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
      const page = new URL(watch.path, url).href
      output.event({ kind: 'ui', url: page }, () => undefined)
      if (!output.json) output.note(`The calls are shown at\n  ${page}`, { asked: true })
    },
    close,
  }
}

/** A listener on all addresses is on those of loopback too. */
const everyAddress = ['0.0.0.0', '::']
