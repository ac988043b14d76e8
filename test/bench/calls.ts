import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as z from 'zod/mini'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { realClock } from '../helpers/real-clock.ts'
import type { Row } from './run.ts'

const caller = ['When are you open?', 'And where is it?', 'Thank you']
/** Webhooks of one such call: three statuses, the welcome, and a line and an answer for each turn. */
const perCall = 3 + 1 + 2 * caller.length

/** Many calls at once: every webhook is there, in order per call; and what the machine gives for it. */
export async function benchCalls(): Promise<Row[]> {
  const atOnce = await hold({ calls: 1000, pace: 0 })
  const paced = await hold({ calls: 200, pace: 20 })
  return [
    {
      what: '1,000 calls at once, pace 0: memory after / before',
      ratio: atOnce.heapAfter / atOnce.heapBefore,
      target: '≤ 1.5',
      detail: `${atOnce.seconds.toFixed(1)} s, ${rate(atOnce)} webhooks/s, all in order; heap ${mb(atOnce.heapBefore)} → ${mb(atOnce.heapAfter)} MB with the records of all calls, ${mb(atOnce.heapPeak)} at its peak`,
    },
    {
      what: '200 calls, pace 20: time / time of the call ÷ 20',
      ratio: (paced.seconds * 20) / paced.callSeconds,
      target: '≤ 1.2',
      detail: `${paced.seconds.toFixed(1)} s for calls of ${paced.callSeconds.toFixed(0)} s, ${paced.webhooks} webhooks, all in order`,
    },
  ]
}

interface Held {
  readonly seconds: number
  readonly webhooks: number
  /** Of the longest call, in its own time. */
  readonly callSeconds: number
  readonly heapBefore: number
  readonly heapAfter: number
  readonly heapPeak: number
}

async function hold({ calls, pace }: { calls: number; pace: number }): Promise<Held> {
  const sink = await startSink()
  const sandbox = await startSandbox({ port: 0, pace, clock: realClock })
  // What every sandbox loads once is not the calls' memory.
  await place(sandbox, sink.url)
  await sandbox.idle()
  sink.told.clear()
  const heapBefore = heap()
  let heapPeak = heapBefore
  const started = process.hrtime.bigint()
  const ids = await Promise.all(
    Array.from({ length: calls }, async () => {
      const id = await place(sandbox, sink.url)
      heapPeak = Math.max(heapPeak, process.memoryUsage().heapUsed)
      return id
    }),
  )
  await sandbox.idle()
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  heapPeak = Math.max(heapPeak, process.memoryUsage().heapUsed)
  let callSeconds = 0
  for (const id of ids) {
    const { told = [], lasted = 0 } = sink.told.get(id) ?? {}
    const expected = [-1, -1, ...Array.from({ length: perCall - 3 }, (_, index) => index + 1), -1]
    if (told.join() !== expected.join())
      throw new Error(`the webhooks of call ${id} came as ${told.join()}, not as ${expected.join()}`)
    callSeconds = Math.max(callSeconds, lasted)
  }
  sink.told.clear()
  const heapAfter = heap()
  await sandbox.close()
  await sink.close()
  return { seconds, callSeconds, webhooks: calls * perCall, heapBefore, heapAfter, heapPeak }
}

const eventSchema = z.object({
  message: z.object({
    call: z.object({ id: z.string(), startAt: z.optional(z.string()), endAt: z.optional(z.string()) }),
    messages: z.optional(z.array(z.unknown())),
  }),
})

/** Remembers of each call how many messages each webhook carried, in the order of arrival; -1 is a status. */
async function startSink() {
  const told = new Map<string, { told: number[]; lasted: number }>()
  const server = createServer(async (request, response) => {
    const { call, messages } = eventSchema.parse(JSON.parse(await text(request))).message
    const known = told.get(call.id) ?? { told: [], lasted: 0 }
    known.told.push(messages?.length ?? -1)
    if (call.startAt !== undefined && call.endAt !== undefined)
      known.lasted = 1 + (Date.parse(call.endAt) - Date.parse(call.startAt)) / 1000
    told.set(call.id, known)
    response.setHeader('content-type', 'application/json')
    response.end('{"message":"ok"}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    told,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function place({ baseUrl, apiKey }: Sandbox, url: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/calls/v1/conversations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      userNumber: '+12025550123',
      assistantNumber: '+12025550100',
      assistant: { welcomeMessage: 'This is the front desk. How can I help?', assistantServer: { url } },
      metadata: { caller },
    }),
  })
  return z.object({ sid: z.string() }).parse(await answer.json()).sid
}

function heap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

function rate({ webhooks, seconds }: Held): string {
  return Math.round(webhooks / seconds).toLocaleString('en-US')
}

function mb(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(0)
}
