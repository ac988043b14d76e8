import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent, request } from 'undici'
import * as z from 'zod/mini'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts'
import { realClock } from '../helpers/real-clock.ts'
import { bareEnvironment } from './processes.ts'
import { median } from './rounds.ts'
import { atLeast, atMost, defineBench, type Figure } from './table.ts'

const caller = ['When are you open?', 'And where is it?', 'Thank you']
/** Webhooks of such a call: three statuses, the welcome, and a line and a reply for each turn. */
const perCall = 3 + 1 + 2 * caller.length

/** Many calls at once: whether every webhook is there, in order per call; and what the machine gives for it. */
export const callsBench = defineBench({
  name: 'calls',
  rows: {
    seconds: {
      work: 'sandbox: 1,000 calls at once at pace 0, 10,000 webhooks',
      unit: 's',
      floor: "1 s at the receiver's rate",
      goal: atMost(1.5),
    },
    inOrder: {
      work: 'sandbox: the same 1,000 calls: webhooks in order, of those sent',
      unit: 'times',
      floor: '1',
      goal: atLeast(1),
    },
    heap: {
      work: 'sandbox: the same 1,000 calls: heap after them, against before',
      unit: 'times',
      floor: '1',
      goal: atMost(1.2),
    },
    memory: {
      work: '`sandbox start`: resident memory after 100,000 calls from 32 clients at once',
      unit: 'MB',
      goal: atMost(300),
    },
    tenTurns: {
      work: 'sandbox: a call of ten turns at pace 0, without webhooks',
      unit: 'ms',
      floor: 'one request',
      goal: atMost(5),
    },
    paced: {
      work: 'sandbox: 200 calls at once at pace 20: webhooks in order, of those sent',
      unit: 'times',
      floor: '1',
      goal: atLeast(1),
    },
  },
  async measure({ bin }) {
    const atOnce = await hold({ calls: 1000, pace: 0 })
    const paced = await hold({ calls: 200, pace: 20 })
    const tenTurns = await oneAfterAnother(300)
    return {
      memory: await memoryAfter(100_000, bin),
      tenTurns: { value: tenTurns },
      seconds: { value: atOnce.seconds },
      inOrder: { value: atOnce.inOrder / atOnce.webhooks },
      heap: {
        value: atOnce.heap.closed / atOnce.heap.before,
        detail: `${mb(atOnce.heap.before)} → ${mb(atOnce.heap.closed)} MB; ${mb(atOnce.heap.over)} with the records of all calls, ${mb(atOnce.heap.peak)} at the peak`,
      },
      paced: {
        value: paced.inOrder / paced.webhooks,
        detail: `in ${paced.seconds.toFixed(1)} s; the longest call took ${(paced.callSeconds / 20).toFixed(1)} s`,
      },
    }
  },
})

const readySchema = z.object({ kind: z.literal('ready'), baseUrl: z.string(), apiKey: z.string() })
const finishedSchema = z.object({ kind: z.literal('call'), status: z.literal('finished') })

/** A sandbox in a process of its own. The calls are over when its log says so. */
async function memoryAfter(calls: number, bin: string): Promise<Figure> {
  const child = spawn(
    process.execPath,
    [bin, 'sandbox', 'start', '--in-memory', '--port', '0', '--pace', '0', '--json'],
    { env: bareEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const agent = new Agent({ connections: 32 })
  try {
    const memory = (what: 'VmRSS' | 'VmHWM') => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(new RegExp(`${what}:\\s*(\\d+)`).exec(status)?.[1]) / 1024
    }
    let left = calls
    let running = calls
    for await (const line of createInterface(child.stdout)) {
      const event: unknown = JSON.parse(line)
      const ready = readySchema.safeParse(event).data
      const placeNext = async () => {
        while (ready !== undefined && left > 0) {
          left -= 1
          await place(ready, undefined, agent)
        }
      }
      for (let client = 0; ready !== undefined && client < 32; client += 1) void placeNext()
      if (finishedSchema.safeParse(event).success) running -= 1
      if (running === 0) break
    }
    return { value: memory('VmRSS'), detail: `${memory('VmHWM').toFixed(0)} MB at most` }
  } finally {
    child.kill()
    await agent.close()
  }
}

interface Held {
  readonly seconds: number
  /** Sent, and those of calls whose webhooks all came in order. */
  readonly webhooks: number
  readonly inOrder: number
  /** Duration of the longest call, in its own time. */
  readonly callSeconds: number
  /** Bytes: before the calls, at most, when all were over, and when the sandbox was closed. */
  readonly heap: {
    readonly before: number
    readonly peak: number
    readonly over: number
    readonly closed: number
  }
}

async function hold({ calls, pace }: { calls: number; pace: number }): Promise<Held> {
  const sink = await startSink()
  // What is loaded and compiled once is not the calls' memory.
  await holdIn(sink, { calls, pace: 0 })
  await sink.report()
  const before = await heapUsed()
  const held = await holdIn(sink, { calls, pace })
  let callSeconds = 0
  let inOrder = 0
  const expected = [-1, -1, ...Array.from({ length: perCall - 3 }, (_, index) => index + 1), -1].join()
  for (const { counts, lasted } of await sink.report()) {
    if (counts.join() === expected) inOrder += perCall
    callSeconds = Math.max(callSeconds, lasted)
  }
  const closed = await heapUsed()
  sink.close()
  return {
    seconds: held.seconds,
    callSeconds,
    inOrder,
    webhooks: calls * perCall,
    heap: { before, closed, peak: held.peak, over: held.over },
  }
}

/** A sandbox of its own, and calls that are all placed at once. */
async function holdIn(
  sink: { readonly url: string },
  { calls, pace }: { calls: number; pace: number },
): Promise<{ seconds: number; peak: number; over: number }> {
  const sandbox = await startSandbox({ port: 0, pace, clock: realClock })
  const agent = new Agent({ connections: 64 })
  let peak = 0
  const started = process.hrtime.bigint()
  await Promise.all(
    Array.from({ length: calls }, async () => {
      await place(sandbox, sink.url, agent)
      peak = Math.max(peak, process.memoryUsage().heapUsed)
    }),
  )
  await sandbox.idle()
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  peak = Math.max(peak, process.memoryUsage().heapUsed)
  await agent.close()
  const over = await heapUsed()
  await sandbox.close()
  return { seconds, peak, over }
}

/** Milliseconds of each call, its request included: placed when the call before is over. The first ones warm up. */
async function oneAfterAnother(calls: number): Promise<number> {
  const sandbox = await startSandbox({ port: 0, pace: 0, clock: realClock })
  const agent = new Agent({ connections: 1 })
  const turns = Array.from({ length: 10 }, (_, index) => `${caller[index % 2]} For day ${index}.`)
  const milliseconds: number[] = []
  for (let call = 0; call < calls; call++) {
    const started = process.hrtime.bigint()
    await place(sandbox, undefined, agent, turns)
    await sandbox.idle()
    if (call >= calls / 3) milliseconds.push(Number(process.hrtime.bigint() - started) / 1e6)
  }
  await agent.close()
  await sandbox.close()
  return median(milliseconds)
}

const receivedSchema = z.array(
  z.object({
    /** Number of messages in each webhook of a call, in order of arrival; -1 is a status. */
    counts: z.array(z.number()),
    /** Duration of the call, in its own time. */
    lasted: z.number(),
  }),
)

/** A receiver in a process of its own, as it is for every user: what it does is not the sandbox's time. */
async function startSink() {
  const child = spawn(process.execPath, ['-e', sinkProgram], {
    env: bareEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = async () => String((await lines.next()).value)
  return {
    url: await nextLine(),
    /** Samples of each call since the last report. */
    async report() {
      child.stdin.write('report\n')
      return receivedSchema.parse(JSON.parse(await nextLine()))
    },
    close: () => void child.kill(),
  }
}

/** It ends when its stdin does: with the process that started it. */
const sinkProgram = `
const { createServer } = require('node:http')
let calls = new Map()
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const { call, messages } = JSON.parse(Buffer.concat(chunks).toString('utf8')).message
    const known = calls.get(call.id) ?? { counts: [], lasted: 0 }
    known.counts.push(messages?.length ?? -1)
    if (call.startAt !== undefined && call.endAt !== undefined)
      known.lasted = 1 + (Date.parse(call.endAt) - Date.parse(call.startAt)) / 1000
    calls.set(call.id, known)
    response.setHeader('content-type', 'application/json')
    response.end('{"message":"ok"}')
  })
})
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/'))
process.stdin.on('data', () => {
  console.log(JSON.stringify([...calls.values()]))
  calls = new Map()
})
process.stdin.on('end', () => process.exit())
`

/** Without a URL no webhooks are sent. */
async function place(
  { baseUrl, apiKey }: Pick<Sandbox, 'baseUrl' | 'apiKey'>,
  url: string | undefined,
  dispatcher: Agent,
  lines: readonly string[] = caller,
): Promise<void> {
  const { statusCode, body } = await request(`${baseUrl}/calls/v1/conversations`, {
    dispatcher,
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      userNumber: '+12025550123',
      assistantNumber: '+12025550100',
      assistant: { welcomeMessage: 'This is the front desk. How can I help?', assistantServer: { url } },
      metadata: { caller: lines },
    }),
  })
  await body.dump()
  if (statusCode !== 200) throw new Error(`a call was answered ${statusCode}`)
}

/** Bytes that are still needed: what waits to be finalised takes more than one round. */
async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let round = 0; round < 5; round++) {
    await nextTurn()
    collect()
  }
  return process.memoryUsage().heapUsed
}

function mb(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(0)
}
