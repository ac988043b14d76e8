import { randomUUID } from 'node:crypto'
import type { Context, Output } from '../../context.ts'
import { CliError } from '../../errors.ts'
import type { WebhookStatus } from '../../interface/words.ts'
import { type DescribedDelivery, describeEvent, renderDelivery } from '../../output/delivery.ts'
import { toJsonDocument } from '../../output/escape.ts'
import { type Assignment, assignAll } from '../../webhook/trigger/assign.ts'
import { sampleCall } from '../../webhook/trigger/sample-call.ts'
import {
  type SampleEvent,
  sampleConversationUpdate,
  sampleSequence,
  sampleStatusUpdate,
} from '../../webhook/trigger/sample-events.ts'
import { type Delivery, sendEvents } from '../../webhook/trigger/send-events.ts'
import type { Trigger } from '../../webhook/trigger/triggers.ts'
import { withoutQuery } from '../../webhook/without-query.ts'
import { eventTimeout } from './event-timeout.ts'
import { parseReceiver } from './receiver-option.ts'

export interface TriggerOptions {
  readonly to?: string
  readonly set?: readonly Assignment[]
  readonly allowUnknown?: boolean
  readonly messages?: number
  readonly status?: WebhookStatus
  readonly call?: string
  readonly header?: Readonly<Record<string, string>>
  readonly dryRun?: boolean
}

const standardMessages = 6

/** `webhook trigger` (interface.md 4.8 and 6): sample events for a server under development, each sent once. */
export async function trigger(what: Trigger, options: TriggerOptions, context: Context): Promise<void> {
  const { output } = context
  const events = assignAll(samples(what, options, context), options.set ?? [], {
    allowUnknown: options.allowUnknown === true,
  })
  const { checkEvent } = await import('../../webhook/trigger/check-event.ts')
  for (const event of events) checkEvent(event)
  if (options.dryRun === true) return printEvents(events, output)

  const url = options.to ?? (await askReceiver(context))
  const deliveries: Delivery[] = []
  for await (const delivery of sendEvents(events, {
    url,
    headers: options.header ?? {},
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

function samples(what: Trigger, options: TriggerOptions, { clock }: Context): SampleEvent[] {
  const { status, messages = standardMessages, call: id = `CC-${randomUUID()}` } = options
  if (what === 'status-update' && options.messages !== undefined) throw useless('--messages', what)
  if (what === 'call' && status !== undefined) throw useless('--status', what)
  const call = sampleCall({ id, messages, now: clock.now() })
  if (what === 'call') return sampleSequence(call)
  if (what === 'status-update') return [sampleStatusUpdate(call, status ?? 'queued')]
  return [sampleConversationUpdate(call, status ?? 'ongoing')]
}

function useless(flag: string, what: Trigger): CliError {
  return new CliError('usage', `${flag} says nothing about a ${what}`, { hint: 'leave it out' })
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
    return error instanceof Error ? error.message : String(error)
  }
}

function printEvents(events: readonly SampleEvent[], output: Output): void {
  for (const event of events) {
    output.event({ kind: 'delivery', ...describeEvent(event.message), sent: event }, () =>
      toJsonDocument(event),
    )
  }
  output.note('Nothing was sent.')
}

function describe({ event, milliseconds, outcome }: Delivery): DescribedDelivery {
  return { kind: 'delivery', ...describeEvent(event.message), sent: event, milliseconds, ...outcome }
}

function isUnacknowledged({ outcome }: Delivery): boolean {
  return 'status' in outcome && isGood(outcome.status) && !outcome.acknowledged
}

/** Once: the receiver answers every event in the same way. */
function warnUnacknowledged({ outcome }: Delivery, output: Output): void {
  if (!('status' in outcome)) return
  output.warn(
    `answered ${outcome.status} without { message }`,
    'the interface asks for 200 and an object { "message": "…" }',
  )
}

function end(
  deliveries: readonly Delivery[],
  { total, receiver }: { readonly total: number; readonly receiver: string },
  output: Output,
): void {
  const answered = deliveries.filter(({ outcome }) => 'status' in outcome).length
  const counted = `${answered} of ${total} ${total === 1 ? 'event' : 'events'}`
  const first = deliveries.findIndex(({ outcome }) => !('status' in outcome) || !isGood(outcome.status))
  const bad = deliveries[first]
  if (bad === undefined) {
    output.note(`${counted} sent to ${receiver}, all answered 2xx.`)
    return
  }
  const what = `event ${first + 1}, ${String(bad.event.message.type)},`
  const { outcome } = bad
  const details = { answered, total }
  if ('failure' in outcome) {
    throw new CliError('unreachable', `${what} got no answer: ${outcome.failure}; ${counted} answered`, {
      hint: `is the server running at ${receiver}?`,
      details,
    })
  }
  const { status } = outcome
  throw new CliError(
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
