import { Argument, type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { describeBody, hasPayload } from '../../../events/conversation/index.ts'
import {
  type Assignment,
  loadTriggerEvents,
  type OddShape,
  oddShapeNames,
  oddShapes,
  type Path,
  parsePath,
  type Trigger,
  type TriggeredDelivery,
  type TriggeredEvent,
  triggers,
} from '../../../events/trigger/index.ts'
import { webhookStatuses } from '../../../interface/words.ts'
import { CallyardError, getErrorReason } from '../../../lib/error.ts'
import { withoutQuery } from '../../../lib/net/address.ts'
import { count } from '../../../lib/text/count.ts'
import { didYouMean } from '../../../lib/text/did-you-mean.ts'
import { toJsonDocument } from '../../../lib/text/escape.ts'
import { excerpt, hang, inColumns } from '../../../lib/text/layout.ts'
import { splitPair } from '../../../lib/text/pair.ts'
import { bold, dim, green, join, red, type Text, text, whole } from '../../../lib/text/text.ts'
import { suggest } from '../../shell/advice.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context, Output } from '../../shell/context.ts'
import { Flag, type OptionsOf } from '../../shell/flags/flag.ts'
import { collectMetadata, integerParser } from '../../shell/flags/option-parsers.ts'
import { collectHeader, eventTimeout, parseReceiver } from './flags.ts'
import { readHeaders } from './read-headers.ts'

const maxMessages = 1000

export const webhookTriggerCommand = defineCommand({
  description: 'Send sample events to a server',
  examples: [
    'callyard webhook trigger call --to http://127.0.0.1:3000/hook --messages 12',
    'callyard webhook trigger status-update --set call.userNumber=+12025550142 --dry-run',
  ],
  topics: ['trigger', 'odd-events'],
  effect: 'none',
  flags: withFlags,
  result: async () => ({
    event: (await import('../../../events/trigger/delivery-schema.ts')).deliverySchema,
  }),
  /** `webhook trigger` (interface.md 4.8 and 6): sample events for a server under development, each sent once. */
  async run(options, context, [triggerArg]) {
    const { output } = context
    assertUseful(triggerArg, options)
    const { eventsToTrigger, toDelivery, triggerEvents } = await loadTriggerEvents()
    const events = eventsToTrigger(triggerArg, { ...options, now: context.clock.now() })
    if (options.dryRun === true) return printEvents(events, toDelivery, output)

    const url = options.to ?? (await askReceiver(context))
    const headers = await readHeaders('--header', options.header, context)
    const { signal, clock } = context
    const deliveries: TriggeredDelivery[] = []
    await context.skipOptimizer?.()
    const sending = triggerEvents(events, { url, headers, timeout: eventTimeout(context), signal, clock })
    for await (const delivery of sending) {
      // Printed once, because the receiver responds to every event in the same way.
      if (isUnacknowledged(delivery) && !deliveries.some(isUnacknowledged)) {
        output.warn(
          `responded ${delivery.status} without { message }`,
          'the interface requires 200 and an object { "message": "…" }',
        )
      }
      deliveries.push(delivery)
      output.event(delivery, () => renderDelivery(delivery, output.width))
      await output.drained()
    }
    end(deliveries, { total: events.length, receiver: withoutQuery(url) }, output)
  },
})

function withFlags(command: Command) {
  return command
    .addArgument(new Argument('<what>', 'What to send').choices(triggers))
    .addOption(new Flag('--to <url>', 'URL of the server').secret().argParser(parseReceiver))
    .addOption(new Flag('--set <path=value>', 'Set a field, such as call.id=CC-1').repeatable(collectSet))
    .addOption(new Flag('--unset <path>', 'Remove a field, such as call').repeatable(collectPath))
    .addOption(
      new Flag('--allow-unknown', 'Allow --set to add fields that are not in the interface').helpsWith({
        'field-unknown': (_: object, hint: string) =>
          hint.replace('allow unknown fields', 'pass --allow-unknown'),
      }),
    )
    .addOption(
      new Flag('--messages <count>', 'Number of messages (default: 6)')
        .helpsWith({ 'change the number of messages': 'set the number of messages with --messages' })
        .argParser(parseCount),
    )
    .addOption(
      new Option('--status <status>', 'Status of the call (default: depends on the event)').choices(
        webhookStatuses,
      ),
    )
    .option('--call <id>', 'Id of the call (default: a new id)')
    .addOption(new Flag('--shape <name>', 'Send only this irregular event').repeatable(collectShape))
    .addOption(new Flag('--header <header>', "Add a 'name: value' header").secret().repeatable(collectHeader))
    .addOption(
      new Flag('--dry-run', 'Print the events without sending them').helpsWith({
        'field-not-there': 'run with --dry-run to see the events',
      }),
    )
}

type TriggerOptions = OptionsOf<typeof withFlags>

const parseCount = integerParser(0, maxMessages)

function collectSet(text: string, collected: readonly Assignment[] = []): Assignment[] {
  const [name = '', written] = splitPair(text) ?? []
  const path = parsePath(name)
  if (path === undefined) {
    throw new InvalidArgumentError("Use path=value, such as call.id=CC-1 or 'messages[0].text=Hi'.")
  }
  const { value } = collectMetadata(`value=${written}`)
  return [...collected, { path, value }]
}

function collectPath(text: string, collected: readonly Path[] = []): Path[] {
  const path = parsePath(text)
  if (path === undefined) throw new InvalidArgumentError('Use a path such as call or call.id.')
  return [...collected, path]
}

function collectShape(text: string, collected: readonly OddShape[] = []): OddShape[] {
  const name = oddShapeNames.find(candidate => candidate === text)
  if (name !== undefined) return [...collected, name]
  const suggestion = didYouMean(text, oddShapeNames)
  throw new InvalidArgumentError(
    `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}For the shapes: callyard help odd-events.`,
  )
}

/** @throws CallyardError `usage` for a flag that changes nothing about what is sent */
function assertUseful(trigger: Trigger, options: TriggerOptions): void {
  const useless = uselessFlags(trigger).find(flag => options[flag] !== undefined)
  if (useless === undefined) return
  const flag = useless === 'allowUnknown' ? '--allow-unknown' : `--${useless}`
  const advice =
    useless === 'shape' ? suggest`it is for: ${['webhook', 'trigger', 'odd']}` : { hint: 'omit it' }
  throw new CallyardError('usage', `${flag} does not apply to ${trigger}`, advice)
}

function uselessFlags(trigger: Trigger): readonly (keyof TriggerOptions)[] {
  if (trigger === 'odd') return ['messages', 'status', 'set', 'unset', 'allowUnknown']
  if (trigger === 'call') return ['status', 'shape']
  return hasPayload(trigger, 'messages') ? ['shape'] : ['messages', 'shape']
}

async function askReceiver({ prompts }: Context): Promise<string> {
  const validate = (text: string): true | string => {
    try {
      parseReceiver(text)
      return true
    } catch (error) {
      return getErrorReason(error)
    }
  }
  return parseReceiver(await prompts.text({ message: 'URL of the server', flag: '--to', validate }))
}

function printEvents(
  events: readonly TriggeredEvent[],
  toDelivery: (event: TriggeredEvent) => TriggeredDelivery,
  output: Output,
): void {
  for (const triggered of events) {
    const { event, shape } = triggered
    output.event(toDelivery(triggered), () =>
      shape === undefined
        ? whole(toJsonDocument(event))
        : text`${bold(shape)}: ${oddShapes[shape]}\n${whole(toJsonDocument(event))}`,
    )
  }
  output.note('Nothing was sent.')
}

function isUnacknowledged(delivery: TriggeredDelivery): boolean {
  return isGood(delivery) && delivery.acknowledged !== true
}

function end(
  deliveries: readonly TriggeredDelivery[],
  { total, receiver }: { readonly total: number; readonly receiver: string },
  output: Output,
): void {
  const answered = deliveries.filter(({ status }) => status !== undefined).length
  const counted = `${answered} of ${count(total, 'event')}`
  const first = deliveries.findIndex(delivery => !isGood(delivery))
  const bad = deliveries[first]
  if (bad === undefined) {
    output.note(`${counted} sent, all acknowledged with 2xx, to\n  ${receiver}`)
    return
  }
  if (bad.shape !== undefined) throw oddShapesFailed(deliveries, { counted, receiver })
  const eventText = `event ${first + 1}, ${bad.type},`
  const details = { answered, total }
  const { status } = bad
  if (status === undefined) {
    throw new CallyardError(
      'unreachable',
      `${eventText} got no response: ${bad.failure}; ${counted} got a response`,
      {
        hint: `check that the server is running:\n  ${receiver}`,
        details,
      },
    )
  }
  throw new CallyardError(
    status >= 500 ? 'unreachable' : 'refused',
    `${eventText} got ${status}; ${counted} got a response`,
    {
      hint: status < 400 ? 'redirects are not followed; pass the URL they lead to with --to' : undefined,
      details: { ...details, status },
    },
  )
}

/** Lists each shape without a 2xx response, with the response or error it got. */
function oddShapesFailed(
  deliveries: readonly TriggeredDelivery[],
  { counted, receiver }: { readonly counted: string; readonly receiver: string },
): CallyardError {
  const failed = new Map(
    deliveries.filter(delivery => !isGood(delivery)).map(delivery => [delivery.shape, delivery]),
  )
  const shapes = [...failed].map(([shape, { status, failure }]) => ({ shape, status, failure }))
  const isUnreachable = shapes.some(({ status }) => status === undefined || status >= 500)
  const isGone = deliveries.some(({ unsent }) => unsent === true)
  const list = shapes.map(({ shape, status, failure }) => `  ${shape}: ${status ?? failure}`).join('\n')
  return new CallyardError(
    isUnreachable ? 'unreachable' : 'refused',
    `${count(shapes.length, 'irregular event')} failed; ${counted} got a response\n${list}`,
    {
      hint: isGone ? `the rest was not sent; check that the server is running:\n  ${receiver}` : undefined,
      details: { shapes },
    },
  )
}

function isGood({ status }: TriggeredDelivery): boolean {
  return status !== undefined && status >= 200 && status <= 299
}

/** Renders one line, with an unexpected response below it. Width in columns. */
function renderDelivery(delivery: TriggeredDelivery, width: number): Text {
  const { shape, type, sent, status, milliseconds, body = '', acknowledged, failure } = delivery
  const facts = describeBody(sent)
  const response =
    status === undefined ? red('no response') : (isGood(delivery) ? green : red)(String(status))
  // Name an odd shape: its type and facts may be what is odd about it.
  const [name, rest] =
    shape === undefined ? [type, inColumns(facts, factsWidth)] : [shape, inColumns(type, factsWidth)]
  const line = text`${inColumns(name, nameWidth)}  ${dim(rest)}  ${response}  ${dim(`${milliseconds} ms`)}`
  const below = failure ?? (acknowledged === true ? '' : body.trim())
  return below === '' ? line : join([line, hang('  ', 2, excerpt(below), width, dim)])
}

const nameWidth = 'numeric-phone-numbers'.length
const factsWidth = 'ongoing · 999 messages'.length
