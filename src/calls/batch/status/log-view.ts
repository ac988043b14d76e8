import { phoneNumberReader } from '../../place/index.ts'
import { mapColumns } from '../columns.ts'
import type { Person } from '../contacts.ts'
import { type RuleSettings, rulesOf } from '../next-call.ts'
import type { BatchState } from '../state.ts'
import { type PersonResult, resultOf } from './results.ts'
import { reportStatus, type StatusReport, withoutRequests } from './status-report.ts'

/** Reports on a shared batch without its lists. People who were never called are known by their number only. */
export function reportLog(state: BatchState): StatusReport {
  const people = peopleOf(state)
  const skipped = { invalid: 0, duplicate: 0, doNotCall: 0 }
  const report = withoutRequests(reportStatus(people, skipped, state, rulesIn(state)))
  const listedKeys = new Set(people.flatMap(({ id, numbers }) => [id, ...numbers]))
  const removed = [...state.removed].filter(key => !listedKeys.has(key)).length
  const due = Math.max(0, state.people - people.length - removed)
  const { counts } = report
  return {
    ...report,
    people: Math.max(state.people, people.length),
    counts: { ...counts, due: counts.due + due, removed: counts.removed + removed },
  }
}

/** Returns the rows of people who were called or skipped. */
export function resultsOfLog(state: BatchState): readonly PersonResult[] {
  const rules = rulesIn(state)
  return peopleOf(state).map(person => resultOf(person, state, rules))
}

/** Returns ids and numbers as the journal of a batch has them: numbers in E.164 form. */
export async function keysInLog(people: readonly string[], state: BatchState): Promise<readonly string[]> {
  const { defaultCountry } = settingsIn(state)
  const read = await phoneNumberReader(typeof defaultCountry === 'string' ? defaultCountry : undefined)
  return people.map(person => {
    const reading = read(person)
    return 'number' in reading ? reading.number : person
  })
}

function settingsIn({ begun }: BatchState): Readonly<Record<string, unknown>> {
  return begun?.shared?.settings ?? {}
}

/** The settings were checked by the runner that began the batch. */
function rulesIn(state: BatchState) {
  return rulesOf(settingsIn(state) as RuleSettings)
}

const noList: Person['list'] = {
  table: { file: '', columns: [], rows: [], positionOf: () => undefined },
  map: mapColumns([]).map,
}

function peopleOf({ attempts, skippedPeople }: BatchState): readonly Person[] {
  const numbers = new Map<string, ReadonlySet<string>>(
    [...attempts].map(([id, personAttempts]) => [id, new Set(personAttempts.map(({ number }) => number))]),
  )
  for (const [id, skippedNumbers] of skippedPeople)
    if (!numbers.has(id)) numbers.set(id, new Set(skippedNumbers))
  return [...numbers].map(([id, personNumbers]) => ({
    id,
    numbers: [...personNumbers],
    zone: 'UTC',
    list: noList,
    row: 0,
  }))
}
