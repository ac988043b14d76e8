import { receiveOverHttp } from '../../../events/receive/index.ts'
import { monotonicMs } from '../../../lib/clock.ts'
import { relayFolder } from '../../../lib/fs/user-folders.ts'
import { eventsUnpublished, loadRelay, loadStreamPreview, type Relay } from '../../../relay/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { createRelayPrinter } from './print-relay.ts'
import { readHeader } from './read-headers.ts'
import { namesOptions } from './relay/names-flags.ts'
import { type RelayFlags, withRelayFlags } from './relay-flags.ts'

export const webhookRelayCommand = defineCommand({
  description: 'Receive webhook events and publish them to NATS JetStream',
  examples: [
    'callyard webhook relay --nats nats://127.0.0.1:4222',
    'callyard webhook relay --nats tls://nats.example.com --nats-creds relay.creds --host 0.0.0.0',
  ],
  topics: ['relay'],
  effect: 'none',
  flags: withRelayFlags,
  result: async ({ z }) => ({
    event: z.union((await import('../../../relay/relay-event-schemas.ts')).relayEventSchemas),
  }),
  run: async (flags, context) => relay(flags, context),
  handlesSignal: () => true,
})

/**
 * Relays events until the signal; then publishes for up to `--drain`.
 * @throws CallyardError `partial` if events are left in the spool, `usage` without a server or with credentials in its URL, and as `openRelay` does
 */
async function relay(flags: RelayFlags, context: Context): Promise<void> {
  const { output, signal, clock } = context
  const broker = { ...namesOptions(flags, context), keepMs: flags.keep, maxBytes: flags.maxBytes }
  const print = createRelayPrinter(output, { isDryRun: flags.dryRun === true })
  if (flags.dryRun === true) {
    const { previewStream } = await loadStreamPreview()
    return print(await previewStream(broker))
  }
  const requireHeader = await readHeader('--require-header', flags.requireHeader, context)
  const { host, port, path = '/', allowHost: allowHosts } = flags
  const { openRelay } = await loadRelay()
  const opened = await openRelay({
    source: maxBodyBytes =>
      receiveOverHttp({ host, port, path, requireHeader, allowHosts, maxBodyBytes, clock }),
    maxBodyBytes: flags.maxBody,
    secretHeader: requireHeader?.name,
    keepSecrets: flags.keepSecrets,
    broker,
    mode: flags.update === true ? 'update' : 'use',
    spool: {
      folder:
        flags.spool === undefined ? relayFolder(context.env, flags.stream) : context.resolve(flags.spool),
      maxBytes: flags.spoolMax,
    },
    status: { host: flags.statusHost, port: flags.statusPort },
    ...{ clock, monotonicMs },
  })
  const close = () => void drain(opened, flags.drain, context)
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  try {
    for await (const event of opened.events) {
      // EPIPE: the reader of the output is gone.
      if (signal.reason !== 'EPIPE') print(event)
      if (event.kind === 'summary' && event.unpublished > 0)
        throw eventsUnpublished(event.unpublished, opened.folder)
      await output.drained({ live: true })
    }
  } finally {
    signal.removeEventListener('abort', close)
    await opened.close(0)
  }
}

async function drain(relay: Relay, drainMs: number, { output }: Context): Promise<void> {
  if (relay.unpublished > 0 && drainMs > 0)
    output.note(`Publishing for up to ${drainMs / 1000} s; press Ctrl-C to exit now`)
  await relay.close(drainMs)
}
