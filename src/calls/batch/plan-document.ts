import type { Diagnostic } from '../../files/source/index.ts'
import { hashContent } from '../../lib/hash.ts'
import { batchRequest } from './call-request.ts'
import type { OpenBatch } from './open-batch.ts'
import { type BatchPlan, sendersOf } from './plan.ts'
import type { BatchPlanDocument } from './plan-schema.ts'
import { sharedFactsOf } from './shared-facts.ts'

export function batchPlanDocument(
  opened: OpenBatch,
  planned: BatchPlan,
  findings: readonly Diagnostic[],
): BatchPlanDocument {
  const { rows, people, skipped, calls, leastMs, zones, until, lists, minutes, callbacks, called } = planned
  const seconds = (milliseconds: number) => Math.round(milliseconds / 1000)
  return {
    batch: opened.name,
    rows,
    people: people.length,
    skipped,
    called,
    calls,
    minutes: { expected: rounded(minutes.expected), most: rounded(minutes.most) },
    callbacks: callbacks.map(({ person, at }) => ({ person: person.id, at: new Date(at).toISOString() })),
    leastSeconds:
      leastMs === undefined ? null : { first: seconds(leastMs.first), most: seconds(leastMs.most) },
    until: until === undefined ? null : new Date(until).toISOString(),
    zones: zones.map(({ zone, people: number, opensAt, openMs }) => ({
      zone,
      people: number,
      opensAt: new Date(opensAt).toISOString(),
      openSeconds: openMs === undefined ? null : seconds(openMs),
    })),
    lists: lists.map(({ table: { file, columns }, map }) => {
      const named = (index: number | undefined) => (index === undefined ? null : (columns[index] ?? null))
      return {
        file,
        to: map.to.map(index => columns[index] ?? ''),
        name: named(map.name),
        timezone: named(map.timezone),
        id: named(map.id),
        consent: map.consent.map(index => columns[index] ?? ''),
        doNotCall: map.doNotCall.map(index => columns[index] ?? ''),
        variables: [...map.variables.keys()].filter(name => opened.usedVariables?.includes(name) !== false),
      }
    }),
    findings,
    counts: Object.fromEntries(planned.findings.counts),
    check: opened.batch.check ?? null,
    example: exampleRequest(opened, planned),
    digest: hashContent(JSON.stringify(sharedFactsOf(opened, planned))),
  }
}

function rounded(minutes: number | undefined): number | null {
  return minutes === undefined ? null : Math.ceil(minutes)
}

/** Returns the request of the first call, without values from the environment; null if nobody is called. */
function exampleRequest(opened: OpenBatch, { people }: BatchPlan) {
  const { batch } = opened
  const [person] = people
  const [sender] = sendersOf(batch)
  const to = person?.numbers[0]
  if (person === undefined || sender === undefined || to === undefined) return null
  const job = { person, from: sender.number, to, number: 1 }
  const { path, body } = batchRequest(job, opened, { isShown: true })
  return { method: 'POST', path, body }
}
