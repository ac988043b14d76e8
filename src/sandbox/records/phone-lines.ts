import { comparableNumber, type PhoneOutcome, testNumbers } from '../engine/phone-outcome.ts'
import type { PhoneNumber } from './phone-numbers.ts'
import { invalidField, Problem } from './problem.ts'
import type { RecordStore, StoredRecord } from './store.ts'

/** The line that a call uses. */
export interface PhoneLine {
  readonly phoneNumberId: string | undefined
  readonly number: string
  /** Undefined: the default. */
  readonly phoneVendor: string | undefined
  /** interface.md 4.1 rule 2: who talks when the request names no assistant. @throws Problem when none is attached */
  defaultAssistant(): StoredRecord
}

export interface PhoneLines {
  byNumber(number: string): PhoneLine
  byId(id: string): PhoneLine
  /** What happens to calls to this number, one after the other; the last one stays. */
  outcomesOf(number: string): readonly PhoneOutcome[]
}

/**
 * With a list, its numbers and no others; without one, or with one that only says what happens to phones, any number or id is
 * taken, and the newest assistant is its default.
 */
export function createPhoneLines(
  numbers: readonly PhoneNumber[] | undefined,
  store: RecordStore,
): PhoneLines {
  const called = new Map([
    ...testNumbers.map(({ number, outcomes }) => [comparableNumber(number), outcomes] as const),
    ...(numbers ?? []).flatMap(({ number, outcome }) =>
      outcome === undefined ? [] : [[comparableNumber(number), [outcome].flat()] as const],
    ),
  ])
  const outcomesOf = (number: string) => called.get(comparableNumber(number)) ?? ['answered']
  const own = numbers?.filter(({ id }) => id !== undefined) ?? []
  if (numbers === undefined || (own.length === 0 && numbers.length > 0)) {
    const defaultAssistant = () => {
      const newest = store.newestAssistant()
      if (newest !== undefined) return newest
      throw noAssistant('no assistant exists yet', 'create one first: callwright assistant create <file>')
    }
    return {
      byNumber: number => ({ phoneNumberId: undefined, number, phoneVendor: undefined, defaultAssistant }),
      byId: id => ({ phoneNumberId: id, number: id, phoneVendor: undefined, defaultAssistant }),
      outcomesOf,
    }
  }
  const toLine = ({ id, number, assistantId, phoneVendor }: PhoneNumber): PhoneLine => ({
    phoneNumberId: id,
    number,
    phoneVendor,
    defaultAssistant() {
      const assistant = assistantId === undefined ? undefined : store.assistant(assistantId)
      if (assistant !== undefined) return assistant
      throw assistantId === undefined
        ? noAssistant(
            `the number ${number} has no default assistant`,
            'add its assistantId to the numbers file',
          )
        : noAssistant(
            `the default assistant ${assistantId} of ${number} does not exist`,
            'correct the numbers file',
          )
    },
  })
  return {
    outcomesOf,
    byNumber(number) {
      const found = own.find(one => comparableNumber(one.number) === comparableNumber(number))
      if (found !== undefined) return toLine(found)
      const known = own.map(one => one.number).join(', ')
      throw invalidField(
        ['assistantNumber'],
        'not-allowed',
        `assistantNumber ${JSON.stringify(number)} is not in the numbers file`,
        `it holds ${known || 'no number'}`,
      )
    },
    byId(id) {
      const found = own.find(one => one.id === id)
      if (found !== undefined) return toLine(found)
      throw new Problem(404, `there is no phone number with the id ${JSON.stringify(id)}`, {
        hint: `the numbers file holds ${own.map(one => one.id).join(', ') || 'none'}`,
      })
    },
  }
}

function noAssistant(what: string, doThis: string): Problem {
  return invalidField(
    ['assistantId'],
    'missing',
    `the call names no assistant, and ${what}`,
    `give assistantId or assistant, or ${doThis}`,
  )
}
