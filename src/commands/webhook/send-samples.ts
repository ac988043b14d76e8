import type { Context, Output } from '../../cli/context.ts'
import { type DescribedDelivery, describeDelivery, renderDelivery } from '../../cli/render/delivery.ts'
import { CallwrightError, reasonOf } from '../../lib/error.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import { toJsonDocument } from '../../lib/text/escape.ts'
import { bold, text } from '../../lib/text/text.ts'
import {
  brings,
  loadTriggerEvents,
  oddShapes,
  type Trigger,
  type TriggeredDelivery,
  type TriggeredEvent,
} from '../../webhook/index.ts'
import { eventTimeout, parseReceiver } from './flags.ts'
import { readHeaders } from './read-headers.ts'
import type { TriggerOptions } from './trigger.ts'

/** `webhook trigger` (interface.md 4.8 and 6): sample events for a server under development, each sent once. */
export async function trigger(what: Trigger, options: TriggerOptions, context: Context): Promise<void> {
  const { output } = context
  assertUseful(what, options)
  const { eventsToTrigger, triggerEvents } = await loadTriggerEvents()
  const events = eventsToTrigger(what, { ...options, now: context.clock.now() })
  if (options.dryRun === true) return printEvents(events, output)

  const url = options.to ?? (await askReceiver(context))
  const headers = (await readHeaders('--header', options.header, context)) ?? {}
  const deliveries: TriggeredDelivery[] = []
  for await (const delivery of triggerEvents(events, {
    url,
    headers,
    timeout: eventTimeout(context),
    signal: context.signal,
    clock: context.clock,
  })) {
    if (isUnacknowledged(delivery) && !deliveries.some(isUnacknowledged)) warnUnacknowledged(delivery, output)
    deliveries.push(delivery)
    const described = describe(delivery)
    output.event(described, () => renderDelivery(described, output.width))
    await output.drained()
  }
  end(deliveries, { total: events.length, receiver: withoutQuery(url) }, output)
}

/** @throws CallwrightError `usage` for a flag that changes nothing about what is sent */
function assertUseful(what: Trigger, options: TriggerOptions): void {
  const useless = uselessFlags(what).find(flag => options[flag] !== undefined)
  if (useless === undefined) return
  const flag = useless === 'allowUnknown' ? '--allow-unknown' : `--${useless}`
  const hint = useless === 'shape' ? 'it is for: callwright webhook trigger odd' : 'leave it out'
  throw new CallwrightError('usage', `${flag} changes nothing about ${what}`, { hint })
}

function uselessFlags(what: Trigger): readonly (keyof TriggerOptions)[] {
  if (what === 'odd') return ['messages', 'status', 'set', 'unset', 'allowUnknown']
  if (what === 'call') return ['status', 'shape']
  return brings(what, 'messages') ? ['shape'] : ['messages', 'shape']
}

async function askReceiver({ prompts }: Context): Promise<string> {
  const answer = await prompts.text({
    message: 'Address of the server',
    flag: '--to',
    validate: text => problemOf(text) ?? true,
  })
  return parseReceiver(answer)
}

function problemOf(text: string): string | undefined {
  try {
    parseReceiver(text)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function printEvents(events: readonly TriggeredEvent[], output: Output): void {
  for (const { event, shape } of events) {
    output.event(
      {
        kind: 'delivery',
        ...(shape === undefined ? {} : { shape }),
        ...describeDelivery(event),
        sent: event,
      },
      () =>
        shape === undefined
          ? toJsonDocument(event)
          : text`${bold(shape)}: ${oddShapes[shape]}\n${toJsonDocument(event)}`,
    )
  }
  output.note('Nothing was sent.')
}

function describe({ event, shape, milliseconds, outcome }: TriggeredDelivery): DescribedDelivery {
  return {
    kind: 'delivery',
    ...(shape === undefined ? {} : { shape }),
    ...describeDelivery(event),
    sent: event,
    milliseconds,
    ...outcome,
  }
}

function isUnacknowledged({ outcome }: TriggeredDelivery): boolean {
  return 'status' in outcome && isGood(outcome.status) && !outcome.acknowledged
}

/** Once: the receiver answers every event in the same way. */
function warnUnacknowledged({ outcome }: TriggeredDelivery, output: Output): void {
  if (!('status' in outcome)) return
  output.warn(
    `answered ${outcome.status} without { message }`,
    'the interface asks for 200 and an object { "message": "…" }',
  )
}

function end(
  deliveries: readonly TriggeredDelivery[],
  { total, receiver }: { readonly total: number; readonly receiver: string },
  output: Output,
): void {
  const answered = deliveries.filter(({ outcome }) => 'status' in outcome).length
  const counted = `${answered} of ${total} ${total === 1 ? 'event' : 'events'}`
  const first = deliveries.findIndex(({ outcome }) => !('status' in outcome) || !isGood(outcome.status))
  const bad = deliveries[first]
  if (bad === undefined) {
    output.note(`${counted} sent, all answered 2xx, to\n  ${receiver}`)
    return
  }
  const what = `event ${first + 1}, ${bad.shape ?? describeDelivery(bad.event).type},`
  const { outcome } = bad
  const details = { answered, total }
  if ('failure' in outcome) {
    throw new CallwrightError(
      'unreachable',
      `${what} got no answer: ${outcome.failure}; ${counted} answered`,
      {
        hint: `is the server running?\n  ${receiver}`,
        details,
      },
    )
  }
  const { status } = outcome
  throw new CallwrightError(
    status >= 500 ? 'unreachable' : 'refused',
    `${what} was answered ${status}; ${counted} answered`,
    {
      hint: status < 400 ? 'redirects are not followed: give the address they lead to as --to' : undefined,
      details: { ...details, status },
    },
  )
}

function isGood(status: number): boolean {
  return status >= 200 && status <= 299
}
