import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { parseLine, type RecordedEvent, recordedBytes } from '../../../src/events/recordings/index.ts'
import { loadStoredEvents } from '../../../src/relay/index.ts'
import type { AttackTools } from '../attack.ts'
import { startBrokers } from './brokers.ts'
import { createLedger, type Shown } from './ledger.ts'
import { shuffledEvents, startLoad, type TeamEvent } from './load.ts'
import { type RelayProgram, startRelay, startTail } from './processes.ts'
import { makeTroubles, type TroubleKind, type TroubleOptions, type TroubleResult } from './troubles.ts'

const { openStoredEvents } = await loadStoredEvents()

export interface TeamOptions {
  readonly events: number
  readonly calls: number
  readonly brokers: 1 | 3
  readonly relays: number
  readonly tails: number
  readonly perSecond: number
  /** Troubles, each at a share of the sent events. */
  readonly schedule: readonly { readonly at: number; readonly kind: TroubleKind }[]
  /** Milliseconds until a tail or a broker that was killed is started again. */
  readonly downMs: TroubleOptions['downMs']
}

export interface TeamOutcome extends TroubleResult {
  readonly hadFullDisk: boolean
  readonly stream: { readonly lost: number; readonly doubled: number }
  readonly recorded: { readonly lost: number; readonly disordered: number }
  readonly messages: {
    readonly lost: number
    readonly disordered: number
    /** Printed again after a kill of the tail that had printed them. */
    readonly repeatedAfterKill: number
    readonly repeated: number
  }
  /** Resident memory of a relay and a tail that lived all the time, in MB, at each quarter of the events. */
  readonly memory: readonly { readonly relay: number; readonly tail: number }[]
  readonly retries: number
  /** Programs that exited by themselves. */
  readonly restarts: number
  readonly sentMs: number
  /** Time from the last accepted event to the last printed message. */
  readonly caughtUpMs: number
  readonly exitCodes: readonly (number | null)[]
}

/** Time without a new message after which the rest counts as lost. */
const idleMs = 60_000

/** Runs relays and sharing tails on a cluster while they are killed, and counts what is missing, repeated or out of order. */
export async function runTeam(options: TeamOptions, tools: AttackTools): Promise<TeamOutcome> {
  const smallDisk = options.schedule.some(({ kind }) => kind === 'full-disk')
  const brokers = await startBrokers(tools, { count: options.brokers, smallDisk })
  const servers = brokers.urls
  const relays: RelayProgram[] = []
  for (let index = 0; index < options.relays; index++) relays.push(await startRelay(servers, tools))
  const ledger = createLedger()
  const held = new Map<number, number>()
  const tails = await Promise.all(
    Array.from({ length: options.tails }, (_, index) =>
      startTail(
        {
          ...{ servers, index },
          onLine(line, process) {
            if (line.kind === 'partitions') held.set(index, Number(line.held))
            if (line.kind !== 'message') return
            const shown: Shown = {
              ...{ call: String(line.callId), message: Number(line.text), by: `${index}.${process}` },
            }
            ledger.add(shown, performance.now())
          },
        },
        tools,
      ),
    ),
  )
  for (const tail of tails) tail.start()
  while ([...held.values()].reduce((sum, each) => sum + each, 0) < 32 || held.size < options.tails)
    await delay(100)

  const began = performance.now()
  const load = startLoad({
    events: shuffledEvents(options.events, options.calls),
    relays: relays.map(relay => relay.url()),
    perSecond: options.perSecond,
  })
  const memory: { relay: number; tail: number }[] = []
  const measure = async () => {
    for (const share of [0.25, 0.5, 0.75, 1]) {
      while (load.progress() < share) await delay(100)
      memory.push({ relay: relays[0]?.memory() ?? 0, tail: tails[0]?.memory() ?? 0 })
    }
  }
  const measured = measure()
  const troubled = makeTroubles(
    options.schedule,
    { downMs: options.downMs, brokers, relays, tails, load, ledger },
    tools,
  )
  await load.done
  const sentAt = performance.now()
  const result = await troubled
  await measured
  await untilIdle(ledger.messages, options.events)
  const caughtUpAt = performance.now()
  const exitCodes = [
    ...(await Promise.all(tails.map(tail => tail.end()))),
    ...(await Promise.all(relays.map(relay => relay.end()))),
  ]

  const stream = await readStream(servers, options)
  const killed = new Set<string>(
    tails.flatMap((tail, index) => [...tail.killed].map(process => `${index}.${process}`)),
  )
  const repeats = ledger.repeats()
  const repeatedAfterKill = repeats.filter(({ before }) => killed.has(before)).length
  return {
    ...result,
    hadFullDisk: brokers.fillDisk !== undefined,
    stream: { lost: options.events - stream.order.size, doubled: stream.doubled },
    recorded: await readRecordings(
      tails.map(({ recording }) => recording),
      stream.order,
    ),
    messages: {
      lost: options.events - ledger.messages(),
      disordered: ledger.disordered(),
      repeatedAfterKill,
      repeated: repeats.length - repeatedAfterKill,
    },
    memory,
    retries: load.retries(),
    restarts: [...relays, ...tails].reduce((sum, relay) => sum + relay.restarts(), 0),
    sentMs: sentAt - began,
    caughtUpMs: caughtUpAt - sentAt,
    exitCodes,
  }
}

async function untilIdle(messages: () => number, all: number): Promise<void> {
  for (let seen = messages(), since = performance.now(); messages() < all; await delay(100)) {
    if (messages() !== seen) [seen, since] = [messages(), performance.now()]
    if (performance.now() - since > idleMs) return
  }
}

const keyOf = ({ call, messages }: TeamEvent) => `${call} ${messages}`

function readEvent(recorded: RecordedEvent): { call: string; key: string } {
  const { message } = JSON.parse(recordedBytes(recorded).toString())
  return { call: message.call.id, key: keyOf({ call: message.call.id, messages: message.messages.length }) }
}

/** Returns the position of each event in the stream. */
async function readStream(servers: readonly string[], { events }: TeamOptions) {
  const stored = await openStoredEvents({ servers, stream: 'calls', timeoutMs: 30_000 })
  const order = new Map<string, number>()
  let [position, doubled] = [0, 0]
  try {
    for await (const recorded of stored.read()) {
      const { key } = readEvent(recorded)
      if (order.has(key)) doubled++
      else order.set(key, position)
      position++
    }
  } finally {
    await stored.close()
  }
  if (order.size > events) throw new Error('the stream has events that nobody sent')
  return { order, doubled }
}

/** Compares the recordings of the tails with the stream: each tail handles the events of a call in the order of the stream. */
async function readRecordings(files: readonly string[], order: ReadonlyMap<string, number>) {
  const all = new Set<string>()
  let disordered = 0
  for (const file of files) {
    const own = new Set<string>()
    const last = new Map<string, number>()
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const recorded = parseLine(Buffer.from(line))
      // A kill leaves a torn line.
      if (recorded === undefined) continue
      const { call, key } = readEvent(recorded)
      all.add(key)
      if (own.has(key)) continue
      own.add(key)
      const position = order.get(key) ?? -1
      if (position < (last.get(call) ?? -1)) disordered++
      last.set(call, position)
    }
  }
  return { lost: [...order.keys()].filter(key => !all.has(key)).length, disordered }
}
