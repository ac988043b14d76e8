import { listCallNames } from '../../../events/conversation/index.ts'
import type { ForwardTotals } from '../../../events/forward/index.ts'
import { endWithCall, type TailEvent } from '../../../events/receive/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { createDeferred } from '../../../lib/queue.ts'
import { count } from '../../../lib/text/count.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { describePage } from '../../shell/render/next-steps.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { openFilter, warnUnmatched } from './open-filter.ts'
import { openTailParts, type PartTotals, type TailParts } from './open-sinks.ts'
import { assertRelayFlags, readerName, relayOptions } from './open-source.ts'
import { openListener, openReader } from './open-tail.ts'
import { createPrinter, tailSummarySchema } from './print-events.ts'
import { randomPath } from './public-url.ts'
import { readHeader, readHeaders } from './read-headers.ts'
import { type ListenOptions, type TailFlags, withTailFlags } from './tail-flags.ts'

export const webhookTailCommand = defineCommand({
  description: 'Receive webhook events and print each message once',
  examples: [
    'callyard webhook tail --record calls.ndjson --guard guards/calls.yaml',
    'callyard webhook tail --forward http://127.0.0.1:3000/hook --ui',
    'callyard webhook tail --relay nats://127.0.0.1:4222 --as ada',
  ],
  topics: ['tunnels', 'recording', 'forwarding', 'exec', 'guards', 'relay'],
  effect: 'none',
  flags: withTailFlags,
  result: tailResult,
  async run(options, context) {
    assertRelayFlags(this, options)
    return tail(options, context)
  },
  handlesSignal: () => true,
  needs: {
    relay: relayOptions,
    tunnel: ['tunnelUrl'],
    record: ['rotate', 'keepSecrets'],
    forward: ['headers', 'forwardHeader', 'skipRepeats', 'forwardRetries', 'resume'],
    exec: ['execConcurrency', 'execTimeout'],
    guard: ['yes'],
  },
})

async function tailResult(builders: SchemaBuilders) {
  const { z, eventSchema, required } = builders
  const { tailEventSchemas } = await import('../../../events/receive/event-schemas.ts')
  const { forwardFailureSchema, forwardRetrySchema } = await import(
    '../../../events/forward/forward-schemas.ts'
  )
  const { execFailedSchema } = await import('../../../events/exec/exec-schemas.ts')
  const { alertFailedSchema, alertSchemas } = await import('../../../calls/guard/guard-schemas.ts')
  return {
    event: z.union([
      ...tailEventSchemas,
      forwardFailureSchema,
      forwardRetrySchema,
      execFailedSchema,
      await tailSummarySchema(builders),
      ...alertSchemas,
      alertFailedSchema,
      eventSchema('ui', { url: required(z.string(), 'Address of the page') }),
    ]),
  }
}

/**
 * Listens until the signal, or until the first call finished, and prints what is new (interface.md 4.8 and 6); also records, forwards,
 * runs commands and serves a page. On exit, requests in progress get a response, pending deliveries and commands get their time, and the
 * summary is printed.
 * @throws CallyardError `partial` if something was not forwarded or a command failed.
 */
async function tail(flags: TailFlags, context: Context): Promise<void> {
  const options = await resolveOptions(flags, context)
  const parts = await openTailParts(options, context)
  try {
    await listen(options, parts, context)
  } finally {
    await parts.close()
  }
}

/**
 * Headers are read; scanners try each host name that gets a certificate: with a tunnel the path is one that they do not find.
 */
async function resolveOptions(
  { requireHeader, forward = [], forwardHeader, ...flags }: TailFlags,
  context: Context,
): Promise<ListenOptions> {
  const [required, headers] = await Promise.all([
    readHeader('--require-header', requireHeader, context),
    readHeaders('--forward-header', forwardHeader, context),
  ])
  const isSecretPath = flags.path === undefined && flags.tunnel !== undefined
  const path = flags.path ?? (isSecretPath ? randomPath() : '/')
  const targets = forward.map(target => ({ ...target, headers }))
  return { ...flags, isSecretPath, path, requireHeader: required, targets }
}

async function listen(options: ListenOptions, parts: TailParts, context: Context): Promise<void> {
  const { output, signal, clock } = context
  const { forwarder, exec, guard, tailPage } = parts
  const { relay } = options
  const filter = openFilter(options, output)
  const ready = createDeferred()
  const opened =
    relay === undefined
      ? await openListener(options, parts, { context, ready: ready.promise })
      : await openReader(relay, options, parts, context)
  const { tail, pageUrl, isReached } = opened
  const close = () => {
    // First, so that pages hear of the end before their streams break.
    tailPage?.close()
    void tail.close()
  }
  try {
    // Not earlier: nothing may be sent if the port is in use or the tunnel fails. New events wait for leftovers of an earlier process.
    forwarder?.start()
    guard?.start()
    if (signal.aborted) close()
    else signal.addEventListener('abort', close, { once: true })
    const print = await createPrinter(output, {
      ...options,
      ...{ filter, isReached },
      now: () => tail.arrivedAt() ?? clock.now(),
      hostHint: 'allow it with --allow-host',
      reader: relay && readerName(options, context),
    })
    const ending = options.until === 'finished' ? endWithCall(close, clock, isOfCall(options)) : undefined
    for await (const event of tail.events) {
      if (event.kind === 'message' && filter.admits(event) && exec !== undefined)
        tail.waitFor(exec.run(event))
      const totals = event.kind === 'summary' ? await parts.finish() : undefined
      if (totals !== undefined) await tail.source.finish?.()
      // EPIPE: the reader of the output is gone.
      if (signal.reason !== 'EPIPE') print(totals === undefined ? event : { ...event, ...totals })
      if (totals !== undefined) {
        warnUnmatched(filter, output)
        assertComplete(totals, options)
      }
      if (event.kind === 'ready') {
        if (pageUrl !== undefined) describePage('The calls are', pageUrl, output)
        ready.resolve()
      }
      await output.drained({ live: true })
      ending?.onEvent(event)
    }
  } finally {
    signal.removeEventListener('abort', close)
    await tail.close()
    await tail.source.finish?.()
    await opened.close()
  }
}

function isOfCall({ call }: ListenOptions): (event: TailEvent) => boolean {
  return event => {
    if (!('callId' in event)) return false
    const names = listCallNames(event)
    return call === undefined || call.some(beginning => names.some(name => name.startsWith(beginning)))
  }
}

/** @throws CallyardError `partial` if a tail did not do everything that was requested */
function assertComplete({ recording, forwarding, exec, guard }: PartTotals, { relay }: ListenOptions): void {
  const undelivered = sum(forwarding, 'undelivered')
  const lost = sum(forwarding, 'lost')
  const failedPrograms = exec === undefined ? 0 : exec.failed + exec.ended
  const parts = [
    part(recording?.missing, eventCount => `${count(eventCount, 'event')} could not be recorded`),
    part(sum(forwarding, 'failed'), failed => `${count(failed, 'forwarded event')} failed`),
    part(undelivered, left => `${count(left, 'event is', 'events are')} undelivered`),
    part(lost, eventCount => `${eventCount} of them lost, because the disk failed`),
    part(forwarding?.dropped, dropped => `${count(dropped, 'event was', 'events were')} not forwarded`),
    part(
      forwarding?.unwritten,
      unwritten => `--resume would repeat ${count(unwritten, 'delivery', 'deliveries')}`,
    ),
    part(failedPrograms, failed => `--exec failed for ${count(failed, 'message')}`),
    part(guard?.failed, failed => `${count(failed, 'alert')} of --guard failed`),
    part(exec?.notRun, notRun => `--exec was skipped for ${count(notRun, 'message')}`),
  ].flat()
  if (parts.length === 0) return
  const those = lost === 0 ? 'they are' : `the other ${undelivered - lost} are`
  const hint =
    relay === undefined
      ? `${those} kept; deliver them with the same --forward and --resume`
      : 'the next tail of this name delivers them'
  throw new CallyardError('partial', parts.join('; '), {
    hint: undelivered > lost ? hint : undefined,
    details: { recording, forwarding, exec, guard },
  })
}

function part(number: number | undefined, words: (number: number) => string): string[] {
  return number === undefined || number === 0 ? [] : [words(number)]
}

function sum(totals: ForwardTotals | undefined, of: 'failed' | 'undelivered' | 'lost'): number {
  return (totals?.targets ?? []).reduce((total, target) => total + target[of], 0)
}
