import type { SeededRandom } from './seeded-random.ts'

/** `--fault-http`: what may befall a request to the API, each with its probability from 0 to 1. */
export const httpFaultNames = ['429', '500', 'hang', 'reset'] as const
export type HttpFaultName = (typeof httpFaultNames)[number]
export type HttpFaults = Readonly<Partial<Record<HttpFaultName, number>>>

/** What befalls the request with this number, counted from 0; where several would, the first in the order above. */
export function httpFaultOf(
  faults: HttpFaults,
  random: SeededRandom,
  ordinal: number,
): HttpFaultName | undefined {
  return httpFaultNames.find(name => random('http', ordinal, name) < (faults[name] ?? 0))
}
