import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type ForwardEvent,
  type Forwarder,
  type ForwardTarget,
  type ForwardTotals,
  loadForwarder,
  type OnDelivery,
} from '../../../src/events/forward/index.ts'
import { readEvent, type WebhookEvent } from '../../helpers/events.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { patientClock } from '../../helpers/patient-clock.ts'

const { openForwarder } = await loadForwarder()

type ForwarderOptions = Parameters<typeof openForwarder>[0]

let now = Date.UTC(2026, 2, 1, 10)

/** A forwarder whose time passes when the test says so; closed with the test at the latest. */
export async function startForwarding({
  starts = true,
  ...options
}: Partial<ForwarderOptions> & { readonly starts?: boolean }) {
  const news: ForwardEvent[] = []
  const clock = { ...patientClock(), now: () => now++ }
  const folder = options.folder ?? join(await temporaryFolder(), 'waiting')
  const forwarder = await openForwarder({
    targets: [],
    folder,
    onlyNew: false,
    resume: false,
    timeout: 20_000,
    clock,
    onEvent: item => news.push(item),
    ...options,
  })
  if (starts) forwarder.start()
  const close = async () => {
    let totals: ForwardTotals | undefined
    const closing = forwarder.close(0).then(result => {
      totals = result
    })
    await until(() => totals !== undefined, clock.pass)
    await closing
    return totals
  }
  onTestFinished(async () => void (await close()))
  return {
    forwarder,
    news,
    clock,
    folder,
    /** Closes it, whose time is up at once. */
    close,
    /** Reports of this kind. */
    told: <Kind extends ForwardEvent['kind']>(kind: Kind) =>
      news.filter((item): item is Extract<ForwardEvent, { kind: Kind }> => item.kind === kind),
  }
}

export function to(url: string, type?: string, headers: Record<string, string> = {}): ForwardTarget {
  return { url, type, headers }
}

interface EventOptions {
  readonly type?: string
  readonly padding?: string
}

export function eventOf(
  callId: string | null,
  number: number,
  { type = 'status-update', padding = '' }: EventOptions = {},
) {
  const call = callId === null ? {} : { call: { id: callId } }
  return { message: { type, ...call, number, padding } } satisfies WebhookEvent
}

/** Passes an event on as a tail does: stored, acknowledged, queued. */
export function forward(
  forwarder: Pick<Forwarder, 'store'>,
  event: WebhookEvent,
  {
    body = Buffer.from(JSON.stringify(event)),
    headers = { 'content-type': 'application/json' },
    isNew = true,
    onDelivery,
  }: { body?: Buffer; headers?: Record<string, string>; isNew?: boolean; onDelivery?: OnDelivery } = {},
): void {
  forwarder.store([readEvent(event)], { body, headers }).send(isNew, onDelivery)
}

/** Call and number of an event that arrived. */
export function idOf({ body }: { readonly body: Buffer | string }): {
  callId: string | null
  number: number
} {
  const { message } = JSON.parse(body.toString())
  return { callId: message.call?.id ?? null, number: message.number }
}

export function numbersOf(arrivals: readonly { readonly body: Buffer | string }[]): number[] {
  return arrivals.map(arrival => idOf(arrival).number)
}

/** The machine's timers, even if a test replaces them. */
const { setTimeout: startRealTimer } = globalThis

/**
 * Waits for something that other parts of this process do; the step is taken again and again until then. It looks a few times at
 * once, and then each millisecond: the thread that sends needs the processor too.
 */
export async function until(holds: () => boolean, step: () => unknown = () => {}): Promise<void> {
  for (let looks = 0; !holds(); looks++) {
    step()
    await new Promise<void>(resolve => {
      if (looks < 10) setImmediate(resolve)
      else startRealTimer(resolve, 1)
    })
  }
}

/** Lets other work of this process continue for a while, to check that something does not happen. */
export async function awhile(step: () => unknown = () => {}): Promise<void> {
  let turns = 0
  await until(() => turns++ === 50, step)
}

/** Numbers from 0. */
export function numbers(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, index) => from + index)
}
