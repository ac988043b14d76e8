import type { SandboxBatch, ScriptedPerson, ScriptedPhone } from './sandbox-batch.ts'

const day = 86_400_000
export const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'America/Los_Angeles'] as const

/** A Friday. On the Sunday after it, clocks change in two of the time zones. */
export const startsAt = Date.parse('2026-10-30T06:00:00Z')
export const [attempts, callbacks] = [3, 2]
export const retried = ['no-answer', 'busy', 'voicemail'] as const

const noon = '2026-11-02T14:30'
const evening = '2026-11-03T20:00'
/** People with these scripts are called, or not, because of a list. */
export const [onList, blockedLater] = [15, 16]
const scripts: readonly (readonly ScriptedPhone[])[] = [
  [{ phone: 'answered', says: 'Fine, thanks' }],
  [{ phone: 'busy' }, { phone: 'answered' }],
  [{ phone: 'no-answer' }],
  [{ phone: 'unreachable' }],
  [{ phone: 'voicemail' }, { phone: 'hang-up' }],
  [{ phone: 'hang-up' }],
  [{ phone: 'dropped' }],
  [{ phone: 'silent' }],
  [{ phone: 'answered', callbackAt: noon }, { phone: 'answered' }],
  [{ phone: 'answered', callbackAt: evening }, { phone: 'no-answer' }, { phone: 'answered' }],
  [{ phone: 'answered', callbackAt: noon }],
  [{ phone: 'no-answer' }, { phone: 'answered', says: 'Please take me off your list' }],
  [{ phone: 'busy' }, { phone: 'no-answer' }, { phone: 'answered', optOut: true }],
  [
    { phone: 'answered', callbackAt: '2026-11-04T15:00:00Z' },
    { phone: 'answered', optOut: true },
  ],
  [{ phone: 'answered', says: 'Stop calling me!', callbackAt: noon }],
  [{ phone: 'answered' }],
  [{ phone: 'busy' }],
]

/** Index of the script of each of a number of people: the simple ones are the most frequent. */
const patterns = [...scripts.keys(), ...Array.from({ length: 17 }, (_, index) => index % 9)]

export interface PersonOfWeek extends ScriptedPerson {
  /** Index of the script. */
  readonly pattern: number
}

/** A batch of a week with every outcome, retries, callbacks and opt-outs, for this number of people. */
export function weekOf(size: number): SandboxBatch & { readonly people: readonly PersonOfWeek[] } {
  const people = Array.from(
    { length: size },
    (_, index): PersonOfWeek => ({
      number: `+1202555${1000 + index}`,
      zone: zones[Math.floor(index / patterns.length) % zones.length] ?? 'UTC',
      pattern: patterns[index % patterns.length] ?? 0,
      script: scripts[patterns[index % patterns.length] ?? 0] ?? [],
    }),
  )
  const numbersOf = (pattern: number) =>
    people.filter(person => person.pattern === pattern).map(({ number }) => number)
  return {
    ...{ startsAt, people, doNotCall: numbersOf(onList) },
    blocked: { at: startsAt + 3 * day, numbers: numbersOf(blockedLater) },
    batch: {
      ...{ rate: '30/min', concurrency: 20 },
      window: { days: 'mon-fri,sun', hours: '09:00-12:00,13:00-17:00' },
      retry: { on: [...retried], attempts, after: ['2h', '1d'] },
      callback: { field: 'structuredData.callbackAt', attempts: callbacks },
    },
  }
}
