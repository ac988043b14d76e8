import type { Attack } from './attack.ts'
import { runTeam, type TeamOptions } from './team/run-team.ts'
import type { TroubleKind } from './team/troubles.ts'

const events = Number(process.env.CALLYARD_ATTACK_EVENTS ?? 200_000)
const perSecond = Number(process.env.CALLYARD_ATTACK_RATE ?? 600)
const bounds = { tail: 10_000, broker: 20_000 }

const kinds: readonly TroubleKind[] = [
  ...(['tail', 'relay', 'broker', 'relay', 'all-brokers', 'tail', 'broker', 'relay'] as const),
  ...(['stopped-broker', 'full-disk'] as const),
  ...(['tail', 'relay', 'all-brokers', 'broker', 'tail', 'relay'] as const),
]

const options: TeamOptions = {
  ...{ events, calls: Math.ceil(events / 40), brokers: 3, relays: 3, tails: 4, perSecond },
  downMs: { tail: 15_000, broker: 25_000 },
  schedule: kinds.map((kind, index) => ({ kind, at: (0.95 * index + 0.5) / kinds.length })),
}

/** A team of relays and sharing tails on a cluster of three brokers, all of which are killed, also at the same time. */
export const team: Attack = {
  about: `3 relays and 4 tails share ${events} events, with kills of relays, tails and brokers, and a full disk`,
  async run(tools) {
    const outcome = await runTeam(options, tools)
    const { counts, stream, recorded, messages, memory } = outcome
    const attacks = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const row = { attacks, lost: 0, doubled: 0, late: 0 }
    const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
    const takeOver = (what: 'tail' | 'broker') => ({
      ...row,
      what: `team: time to take over from a killed${what === 'broker' ? ' or stopped' : ''} ${what}`,
      attacks: outcome.pauses[what].length,
      late: outcome.pauses[what].filter(pause => pause > bounds[what]).length,
      detail: `late: above ${seconds(bounds[what])}; ${outcome.pauses[what].map(seconds).join(', ')}`,
    })
    return [
      {
        ...{ ...row, what: `team: stream of ${events} events`, ...stream },
        detail: [
          ...Object.entries(counts).map(([kind, count]) => `${kind}: ${count}`),
          ...(outcome.hadFullDisk ? [] : ['no full disk: this user cannot mount a tmpfs']),
          `${outcome.retries} retries of senders; sent in ${seconds(outcome.sentMs)}, read ${seconds(outcome.caughtUpMs)} later`,
          `${outcome.restarts} exits without a kill`,
          `exit codes ${[...new Set(outcome.exitCodes)].join(', ')}`,
        ].join('; '),
      },
      {
        ...{ ...row, what: 'team: messages that 4 tails print', lost: messages.lost },
        doubled: messages.repeatedAfterKill + messages.repeated,
        allowedDoubled: messages.repeatedAfterKill,
        detail: `${messages.repeatedAfterKill} were printed again after a kill of the tail that printed them`,
      },
      { ...row, what: 'team: recordings of 4 tails', lost: recorded.lost, detail: '' },
      {
        ...{ ...row, what: 'team: order within a call', lost: messages.disordered + recorded.disordered },
        detail: `lost: ${messages.disordered} messages and ${recorded.disordered} events out of order`,
      },
      takeOver('tail'),
      takeOver('broker'),
      {
        ...{ ...row, what: 'team: resident memory at each quarter' },
        detail: (['relay', 'tail'] as const)
          .map(what => `${what} ${memory.map(each => each[what]).join(', ')} MB`)
          .join('; '),
      },
    ]
  },
}
