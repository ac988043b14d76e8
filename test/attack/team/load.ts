import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'

export interface TeamEvent {
  readonly call: number
  /** Messages of the call so far: this event has all of them, and event `n` is the first with message `n`. */
  readonly messages: number
}

export interface LoadOptions {
  readonly events: readonly TeamEvent[]
  /** Addresses of the relays; a relay that is started again keeps its address. */
  readonly relays: readonly string[]
  readonly perSecond: number
}

export type Load = ReturnType<typeof startLoad>

const senders = 64
const timeoutMs = 10_000
/** Events of a call overtake each other by up to this number; repeats come up to twice as late. */
const disorder = 4
const repeatedShare = 0.05

export function callId(call: number): string {
  return `CC-${String(call).padStart(5, '0')}`
}

/** Returns the growing updates of all calls at the same time, out of order, and some of them twice. */
export function shuffledEvents(events: number, calls: number): readonly TeamEvent[] {
  const sent: { readonly event: TeamEvent; readonly at: number }[] = []
  for (let number = 0; number < events; number++) {
    const event = { call: number % calls, messages: Math.floor(number / calls) + 1 }
    const at = event.messages + Math.random() * disorder
    sent.push({ event, at })
    if (Math.random() < repeatedShare) sent.push({ event, at: at + Math.random() * disorder })
  }
  return sent.sort((one, other) => one.at - other.at).map(({ event }) => event)
}

function bodyOf({ call, messages: count }: TeamEvent): string {
  const id = callId(call)
  const messages = Array.from({ length: count }, (_, index) => ({
    ...{ messageId: `${id}-${index + 1}`, role: 'user', text: String(index + 1) },
  }))
  return JSON.stringify({
    message: { type: 'conversation-update', call: { id, teamId: 'team-1' }, messages },
  })
}

/** Sends the events as a service behind a load balancer does: to any relay, and to the next one until one responds with 200. */
export function startLoad({ events, relays, perSecond }: LoadOptions) {
  const agent = new Agent({ connections: senders, bodyTimeout: timeoutMs, headersTimeout: timeoutMs })
  const began = performance.now()
  let next = 0
  let accepted = 0
  let retries = 0
  const isAccepted = async (url: string, body: string) => {
    try {
      const response = await request(url, { method: 'POST', body, dispatcher: agent })
      await response.body.dump()
      return response.statusCode === 200
    } catch {
      // The relay was killed.
      return false
    }
  }
  const send = async () => {
    for (let event = events[next++]; event !== undefined; event = events[next++]) {
      const early = began + (1000 * next) / perSecond - performance.now()
      if (early > 0) await delay(early)
      const body = bodyOf(event)
      const first = Math.floor(Math.random() * relays.length)
      for (
        let attempt = 0;
        !(await isAccepted(relays[(first + attempt) % relays.length] ?? '', body));
        attempt++
      ) {
        retries++
        await delay(50)
      }
      accepted++
    }
  }
  return {
    /** Share of the events that were accepted, from 0 to 1. */
    progress: () => accepted / events.length,
    retries: () => retries,
    done: Promise.all(Array.from({ length: senders }, send)).then(() => agent.close()),
  }
}
