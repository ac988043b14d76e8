import { defineCommand } from '../../cli/cli-command.ts'
import type { Context } from '../../cli/context.ts'
import { describePage } from '../../cli/render/next-steps.ts'
import { listCallNames } from '../../conversation/index.ts'
import { assertForwardsElsewhere, type ForwardTotals } from '../../forward/index.ts'
import { CallwrightError } from '../../lib/error.ts'
import { createDeferred } from '../../lib/queue.ts'
import { count } from '../../lib/text/count.ts'
import { endWithCall, openTail, receiveOverHttp, type TailEvent } from '../../webhook/index.ts'
import { type Exposure, openExposure, randomPath } from './open-exposure.ts'
import { createPrinter, openFilter, warnUnmatched } from './print-events.ts'
import { readHeader, readHeaders } from './read-headers.ts'
import { type ListenOptions, type TailFlags, withTailFlags } from './tail-flags.ts'
import { openTailParts, type PartTotals, type TailParts } from './tail-sinks.ts'

export const webhookTailCommand = defineCommand({
  description: 'Receive webhook events and print each message once',
  examples: [
    'callwright webhook tail',
    'callwright webhook tail --forward http://127.0.0.1:3000/hook --record calls.ndjson --ui',
  ],
  topics: ['tunnels', 'filters', 'recording', 'forwarding', 'exec'],
  flags: withTailFlags,
  result: async () => (await import('./results.ts')).webhookTailResult,
  run: async (options, context) => tail(options, context),
  handlesSignal: () => true,
  needs: {
    tunnel: ['tunnelUrl'],
    record: ['rotate'],
    forward: ['forwardHeader', 'skipRepeats', 'forwardRetries', 'resume'],
    exec: ['execShell', 'execConcurrency', 'execTimeout'],
  },
})

/**
 * Listens until the signal, or until the first call finished, and prints what is new (interface.md 4.8 and 6); also records, forwards,
 * runs commands and serves a page. On exit, requests in progress get a response, pending deliveries and commands get their time, and the
 * summary is printed.
 * @throws CallwrightError `partial` if something was not forwarded or a command failed.
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
  const { recorder, forwarder, exec, watch } = parts
  const { host, port, path, requireHeader, allowHost: allowHosts, maxBody: maxBodyBytes } = options
  const filter = openFilter(options, output)
  const opened = await openTail({
    source: receiveOverHttp({
      ...{ host, port, path, requireHeader, allowHosts, maxBodyBytes, clock },
      serve: watch?.serve,
    }),
    ...{ maxBodyBytes, recorder, forwarder, watcher: watch },
  })
  const close = () => {
    // First, so that pages hear of the end before their streams break.
    watch?.close()
    void opened.close()
  }
  const ready = createDeferred()
  let exposure: Exposure | undefined
  try {
    assertForwardsElsewhere(options.targets, { host, port: opened.source.port })
    const listener = { ...opened.source, isAdvertised: true, after: ready.promise }
    exposure = await openExposure(options, listener, context)
    // Not earlier: nothing may be sent if the port is in use or the tunnel fails. New events wait for leftovers of an earlier process.
    forwarder?.start()
    // Shows, records and forwards every event.
    if (exposure !== undefined && requireHeader === undefined && !options.isSecretPath)
      output.warn(
        'anyone who knows the public URL can send events to this listener',
        'to require a secret header, pass --require-header x-token=env:TOKEN',
      )
    if (signal.aborted) close()
    else signal.addEventListener('abort', close, { once: true })
    const print = await createPrinter(output, {
      ...options,
      filter,
      now: clock.now,
      hostHint: 'allow it with --allow-host',
      isReached: exposure !== undefined,
    })
    const ending = options.until === 'finished' ? endWithCall(close, clock, isOfCall(options)) : undefined
    for await (const event of opened.events) {
      if (event.kind === 'message' && filter.admits(event)) exec?.take(event)
      const totals = event.kind === 'summary' ? await parts.finish() : undefined
      // EPIPE: the reader of the output is gone.
      if (signal.reason !== 'EPIPE') print(totals === undefined ? event : { ...event, ...totals })
      if (totals !== undefined) {
        warnUnmatched(filter, output)
        assertComplete(totals)
      }
      if (event.kind === 'ready') {
        if (watch !== undefined) describePage('The calls are', new URL(watch.path, event.url).href, output)
        ready.resolve()
      }
      await output.drained({ live: true })
      ending?.take(event)
    }
  } finally {
    signal.removeEventListener('abort', close)
    await opened.close()
    await exposure?.close()
  }
}

function isOfCall({ call }: ListenOptions): (event: TailEvent) => boolean {
  return event => {
    if (!('callId' in event)) return false
    const names = listCallNames(event)
    return call === undefined || call.some(beginning => names.some(name => name.startsWith(beginning)))
  }
}

/** @throws CallwrightError `partial` if a tail did not do everything that was requested */
function assertComplete({ recording, forwarding, exec }: PartTotals): void {
  const undelivered = sum(forwarding, 'undelivered')
  const lost = sum(forwarding, 'lost')
  const failedPrograms = exec === undefined ? 0 : exec.failed + exec.ended
  const parts = [
    part(recording?.missing, gone => `${count(gone, 'event is', 'events are')} missing in the recording`),
    part(sum(forwarding, 'failed'), failed => `${count(failed, 'forwarded event')} failed`),
    part(undelivered, left => `${count(left, 'event is', 'events are')} undelivered`),
    part(lost, gone => `${gone} of them lost, because the disk failed`),
    part(forwarding?.dropped, dropped => `${count(dropped, 'event was', 'events were')} not forwarded`),
    part(forwarding?.unwritten, sent => `--resume would repeat ${count(sent, 'delivery', 'deliveries')}`),
    part(failedPrograms, failed => `--exec failed for ${count(failed, 'message')}`),
    part(exec?.notRun, notRun => `--exec was skipped for ${count(notRun, 'message')}`),
  ].flat()
  if (parts.length === 0) return
  const those = lost === 0 ? 'they are' : `the other ${undelivered - lost} are`
  throw new CallwrightError('partial', parts.join('; '), {
    hint: undelivered > lost ? `${those} kept; deliver them with the same --forward and --resume` : undefined,
    details: { recording, forwarding, exec },
  })
}

function part(number: number | undefined, words: (number: number) => string): string[] {
  return number === undefined || number === 0 ? [] : [words(number)]
}

function sum(totals: ForwardTotals | undefined, of: 'failed' | 'undelivered' | 'lost'): number {
  return (totals?.targets ?? []).reduce((total, target) => total + target[of], 0)
}
