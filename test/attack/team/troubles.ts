import { setTimeout as delay } from 'node:timers/promises'
import type { AttackTools } from '../attack.ts'
import type { Brokers } from './brokers.ts'
import type { Ledger } from './ledger.ts'
import type { Load } from './load.ts'
import type { RelayProgram, TailProgram } from './processes.ts'

export type TroubleKind = 'tail' | 'relay' | 'broker' | 'stopped-broker' | 'all-brokers' | 'full-disk'

export interface TroubleOptions {
  readonly brokers: Brokers
  readonly relays: readonly RelayProgram[]
  readonly tails: readonly TailProgram[]
  readonly load: Load
  readonly ledger: Ledger
  /** Longer than the times to take over if the survivors must. */
  readonly downMs: { readonly tail: number; readonly broker: number }
}

export interface TroubleResult {
  readonly counts: Readonly<Record<TroubleKind, number>>
  /** Milliseconds without a message of some partition, after the death of a tail or a broker. */
  readonly pauses: Readonly<Record<'tail' | 'broker', readonly number[]>>
}

/** The first relay and the first tail live on: their memory is measured. */
const survivors = 1

/** Makes the troubles of a schedule, each at its share of the load and one after the other. */
export async function makeTroubles(
  schedule: readonly { readonly at: number; readonly kind: TroubleKind }[],
  { brokers, relays, tails, load, ledger, downMs }: TroubleOptions,
  tools: AttackTools,
): Promise<TroubleResult> {
  const counts = { tail: 0, relay: 0, broker: 0, 'stopped-broker': 0, 'all-brokers': 0, 'full-disk': 0 }
  const pauses = { tail: [] as number[], broker: [] as number[] }
  const work: Readonly<Record<TroubleKind, (turn: number) => Promise<unknown>>> = {
    async tail(turn) {
      const tail = choose(tails.slice(survivors), turn)
      const from = performance.now()
      await tail.kill()
      await delay(downMs.tail)
      if (load.progress() < 1) pauses.tail.push(ledger.longestPause(from, performance.now()))
      tail.start()
    },
    async relay(turn) {
      const relay = choose(relays.slice(survivors), turn)
      await relay.kill()
      await delay(1000)
      await relay.start()
    },
    async broker(turn) {
      const broker = choose(brokers.all, turn)
      const from = performance.now()
      await broker.kill()
      await delay(downMs.broker)
      if (load.progress() < 1) pauses.broker.push(ledger.longestPause(from, performance.now()))
      await broker.restart()
    },
    async 'stopped-broker'(turn) {
      const broker = choose(brokers.all, turn)
      const from = performance.now()
      await broker.kill('SIGSTOP')
      await delay(downMs.broker)
      if (load.progress() < 1) pauses.broker.push(ledger.longestPause(from, performance.now()))
      await broker.kill('SIGCONT')
    },
    async 'all-brokers'() {
      await Promise.all(brokers.all.map(broker => broker.kill()))
      await delay(1000)
      await Promise.all(brokers.all.map(broker => broker.restart()))
    },
    async 'full-disk'() {
      const free = brokers.fillDisk?.()
      await delay(downMs.broker)
      free?.()
      // nats-server disables JetStream when its disk is full, until it is restarted.
      const broker = brokers.all.at(-1)
      await broker?.kill()
      await broker?.restart()
    },
  }
  for (const [turn, { at, kind }] of schedule.entries()) {
    while (load.progress() < at) await delay(50)
    if (kind === 'full-disk' && brokers.fillDisk === undefined) continue
    tools.note(
      `${Math.round(100 * load.progress())} % sent, ${ledger.messages()} messages, ${load.retries()} retries: ${kind}`,
    )
    counts[kind]++
    await work[kind](turn)
  }
  return { counts, pauses }
}

function choose<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length]
  if (item === undefined) throw new Error('nothing to choose from')
  return item
}
