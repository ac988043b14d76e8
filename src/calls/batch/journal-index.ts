import { addToGroup } from '../../lib/group-by.ts'
import type { BatchState, BatchStep } from './state.ts'

export type JournalIndex = ReturnType<typeof createJournalIndex>

/**
 * Offsets of the steps of a journal, by the person whom they are about: the state of a few people is replayed from their steps alone.
 * `state` is the state of the batch, which each step was applied to.
 */
export function createJournalIndex(state: BatchState) {
  const general: number[] = []
  const byPerson = new Map<string, number[]>()
  const owners = new Map<string, string>()
  let isAmbiguous = false

  const addNumber = (number: string, person: string) => {
    const before = owners.get(number) ?? person
    if (before === person) owners.set(number, person)
    else isAmbiguous = true
  }
  return {
    /** Offsets of the steps about the batch itself. */
    general: general as readonly number[],
    /** Offsets of the steps about a person, by id. */
    byPerson: byPerson as ReadonlyMap<string, readonly number[]>,
    /** Id under which a number was called or excluded. */
    owners: owners as ReadonlyMap<string, string>,
    /** True if a number had several ids: steps about one of them are about the other one, too. */
    get isAmbiguous() {
      return isAmbiguous
    },
    add(step: BatchStep, offset: number): void {
      const person = personOf(step, state)
      if (person === undefined) {
        general.push(offset)
        return
      }
      for (const number of numbersOf(step)) addNumber(number, person)
      addToGroup(byPerson, person, offset)
    },
  }
}

/** Returns the id of the person whom a step is about; undefined for one about the batch itself, or about a call that did not begin. */
export function personOf(step: BatchStep, { attempt }: BatchState): string | undefined {
  if ('person' in step) return step.person
  return 'attempt' in step ? attempt(step.attempt)?.person : undefined
}

/** Returns the numbers that a step names. */
export function numbersOf(step: BatchStep): readonly string[] {
  if (step.step === 'calling') return [step.number]
  return 'numbers' in step ? step.numbers : []
}
