import { createServer, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../helpers/loopback.ts'

/** A call as a test scripts it. */
export interface ScriptedCall {
  readonly outcome: 'answered' | 'busy' | 'no-answer'
  /** Line of the caller. */
  readonly says?: string
  /** Structured data of the analysis. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** A call in the records of the service. */
export interface ServedCall {
  readonly id: string
  readonly number: string
  readonly scripted: ScriptedCall
  /** Number of its events that were acknowledged. */
  acknowledged: number
}

export type RequestFault = 'reset' | 'hang' | 'busy'

/** Time until an event is delivered again. */
const redeliverMs = 20

/**
 * A service that places calls, and sends the events of each with an assistant, in order, until they are acknowledged. `onRequest` decides when a request
 * gets its response, `onDelivery` learns of each delivery before and after it.
 */
export async function startEventService(scriptOf: (number: string) => readonly ScriptedCall[]) {
  const calls: ServedCall[] = []
  const hooks = {
    onRequest: (_index: number, respond: () => void) => respond(),
    onDelivery: (_index: number, _isAcknowledged: boolean): void => undefined,
    /** Faults by the index of the request, from 1. */
    faults: new Map<number, RequestFault>(),
  }
  let requests = 0
  let deliveries = 0
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })

  const deliver = async (url: string, body: string) => {
    deliveries += 1
    const index = deliveries
    hooks.onDelivery(index, false)
    while (!isOver) {
      const isTaken = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }).then(
        async response => {
          await response.arrayBuffer()
          return response.ok
        },
        () => false,
      )
      if (isTaken) return hooks.onDelivery(index, true)
      await new Promise(resolve => setTimeout(resolve, redeliverMs))
    }
  }
  const run = async (call: ServedCall, from: string, url: string) => {
    for (const event of eventsOf(call, from)) {
      await deliver(url, JSON.stringify(event))
      if (isOver) return
      call.acknowledged += 1
    }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.method !== 'POST') return void response.writeHead(404).end()
    requests += 1
    const index = requests
    const fault = hooks.faults.get(index)
    if (fault === 'busy') return void json(response, 429, { message: 'too many requests' })
    const { userNumber: number, assistantNumber, assistant } = JSON.parse(Buffer.concat(chunks).toString())
    const script = scriptOf(number)
    const earlier = calls.filter(call => call.number === number).length
    const scripted = script[Math.min(earlier, script.length - 1)] ?? { outcome: 'answered' }
    const call = { id: `CC-${calls.length + 1}`, number, scripted, acknowledged: 0 }
    calls.push(call)
    if (assistant !== undefined) void run(call, assistantNumber, assistant.assistantServer.url)
    if (fault === 'reset') return void response.destroy()
    if (fault === 'hang') return
    hooks.onRequest(index, () => json(response, 200, { sid: call.id }))
  })
  const { origin } = await listenOnLoopback(server)
  return { origin, calls, hooks }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Events of a call (interface.md 6): its statuses, what the caller says, and the analysis. */
function eventsOf({ id, number, scripted }: ServedCall, from: string): object[] {
  const { outcome, says, data } = scripted
  const call = { id, callType: 'web', direction: 'outbound', userNumber: number, assistantNumber: from }
  const status = (value: string, more: object = {}) => ({
    message: { type: 'status-update', call: { ...call, status: value, ...more }, analysis: {} },
  })
  const messages = [{ messageId: 'm1', role: 'user', text: says, timestamp: new Date().toISOString() }]
  const analysis = data === undefined ? {} : { structuredData: data }
  const ringing = [status('queued'), status('queued', { phoneCallStatus: 'ringing' })]
  if (outcome !== 'answered') return [...ringing, status('finished', { phoneCallStatus: outcome })]
  const finished = { ...call, status: 'finished', callEndTriggerBy: 'user', analysis }
  return [
    ...ringing,
    status('ongoing'),
    ...(says === undefined ? [] : [{ message: { type: 'conversation-update', call, messages } }]),
    { message: { type: 'status-update', call: finished, analysis } },
  ]
}
