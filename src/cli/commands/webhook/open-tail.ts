import { assertForwardsElsewhere } from '../../../events/forward/index.ts'
import { openTail, type RunningSource, receiveOverHttp, type Tail } from '../../../events/receive/index.ts'
import { openTailPageListener } from '../../../web/index.ts'
import type { Context } from '../../shell/context.ts'
import type { TailParts } from './open-sinks.ts'
import { openRelaySource } from './open-source.ts'
import { openExposure } from './public-url.ts'
import type { ListenOptions } from './tail-flags.ts'

/** A tail and its listener, for events or only for its page. */
export interface OpenedTail {
  readonly tail: Tail<RunningSource & { finish?(): Promise<void> }>
  /** Undefined without --ui. */
  readonly pageUrl: string | undefined
  /** The service has another address of the listener than its own. */
  readonly isReached: boolean
  /** Closes what is beside the tail. */
  close(): Promise<void>
}

/**
 * Opens the tail of a listener for events, and the tunnel of its flags.
 * @param ready resolves when the address of the listener was printed
 */
export async function openListener(
  options: ListenOptions,
  { recorder, forwarder, tailPage, guard }: TailParts,
  { context, ready }: { readonly context: Context; readonly ready: Promise<void> },
): Promise<OpenedTail> {
  const { host, port, path, requireHeader, allowHost: allowHosts, maxBody: maxBodyBytes } = options
  const { clock, output } = context
  const tail = await openTail({
    source: receiveOverHttp({
      ...{ host, port, path, requireHeader, allowHosts, maxBodyBytes, clock },
      serve: tailPage?.serve,
    }),
    ...{ maxBodyBytes, recorder, forwarder, guard, watcher: tailPage },
  })
  try {
    assertForwardsElsewhere(options.targets, { host, port: tail.source.port })
    const listener = { ...tail.source, isAdvertised: true, after: ready }
    const exposure = await openExposure(options, listener, context)
    // Shows, records and forwards every event.
    if (exposure !== undefined && requireHeader === undefined && !options.isSecretPath)
      output.warn(
        'anyone who knows the public URL can send events to this listener',
        'to require a secret header, pass --require-header x-token=env:TOKEN',
      )
    return {
      tail,
      pageUrl: tailPage && new URL(tailPage.path, tail.source.address).href,
      isReached: exposure !== undefined,
      close: async () => exposure?.close(),
    }
  } catch (error) {
    await tail.close()
    throw error
  }
}

/** Opens the tail of a relay, and a listener for its page. */
export async function openReader(
  servers: readonly string[],
  options: ListenOptions,
  { recorder, forwarder, tailPage, guard }: TailParts,
  context: Context,
): Promise<OpenedTail> {
  const page = tailPage && (await openTailPageListener(tailPage, context))
  try {
    const tail = await openTail({
      source: await openRelaySource(servers, options, context),
      // The relay has accepted the body.
      maxBodyBytes: Number.POSITIVE_INFINITY,
      ...{ recorder, forwarder, guard, watcher: tailPage },
    })
    return { tail, pageUrl: page?.url, isReached: false, close: async () => page?.close() }
  } catch (error) {
    await page?.close()
    throw error
  }
}
