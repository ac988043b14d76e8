import type { StoredRecord } from '../../files/formats/control-api.ts'
import { comparableNumber, type PhoneNumber, type PhoneOutcome } from '../../interface/phone-number.ts'
import { lazy } from '../../lib/lazy.ts'
import { exampleNumber, testNumbers } from '../engine/phone-outcome.ts'
import { invalidField, notFound, type Problem } from './problem.ts'
import type { RecordStore } from './store.ts'

/** The line that a call uses. */
export interface PhoneLine {
  readonly phoneNumberId: string | undefined
  readonly number: string
  /** Undefined: the default. */
  readonly phoneVendor: string | undefined
  /** Chooses the assistant of a request without one (interface.md 4.1 rule 2). @throws Problem if none is attached */
  defaultAssistant(): StoredRecord
}

export type PhoneLines = ReturnType<typeof createPhoneLines>

/**
 * With a list, accepts only its numbers. Without one, or with one that only sets outcomes, accepts any number or id with the newest
 * assistant as its default.
 */
export function createPhoneLines(numbers: readonly PhoneNumber[] | undefined, store: RecordStore) {
  const outcomes = lazy(
    () =>
      new Map([
        ...testNumbers.map(({ number, outcomes }) => [comparableNumber(number), outcomes] as const),
        ...(numbers ?? []).flatMap(({ number, outcome }) =>
          outcome === undefined ? [] : [[comparableNumber(number), [outcome].flat()] as const],
        ),
      ]),
  )
  const own = numbers?.filter(({ id }) => id !== undefined) ?? []
  const isAnyTaken = numbers === undefined || (own.length === 0 && numbers.length > 0)
  const toLine = ({ id, number, assistantId, phoneVendor }: PhoneNumber): PhoneLine => ({
    phoneNumberId: id,
    number,
    phoneVendor,
    defaultAssistant() {
      const lineAssistant = assistantId === undefined ? undefined : store.assistant(assistantId)
      const assistant = isAnyTaken ? store.newestAssistant() : lineAssistant
      if (assistant !== undefined) return assistant
      if (isAnyTaken)
        throw noAssistant('no assistant exists yet', 'create one first: callyard assistant create <file>')
      if (assistantId !== undefined) {
        const missing = `the default assistant ${assistantId} of ${number} does not exist`
        throw noAssistant(missing, 'correct the numbers file')
      }
      const missing = `the number ${number} has no default assistant`
      throw noAssistant(missing, 'add its assistantId to the numbers file')
    },
  })
  return {
    /** Outcomes of consecutive calls to this number; the last one is repeated. */
    outcomesOf: (number: string): readonly PhoneOutcome[] =>
      outcomes().get(comparableNumber(number)) ?? ['answered'],
    byNumber(number: string) {
      if (isAnyTaken) return toLine({ number })
      const phoneNumber = own.find(one => comparableNumber(one.number) === comparableNumber(number))
      if (phoneNumber !== undefined) return toLine(phoneNumber)
      const numbersText = own.map(one => one.number).join(', ')
      throw invalidField(
        ['assistantNumber'],
        'not-allowed',
        `assistantNumber ${JSON.stringify(number)} is not in the numbers file`,
        `it has ${numbersText || 'no numbers'}`,
      )
    },
    byId(id: string) {
      if (isAnyTaken) return toLine({ id, number: exampleNumber })
      const phoneNumber = own.find(one => one.id === id)
      if (phoneNumber !== undefined) return toLine(phoneNumber)
      const idsText = own.map(one => one.id).join(', ')
      throw notFound('phone number with the id', id, `the numbers file holds ${idsText || 'none'}`)
    },
  }
}

function noAssistant(problem: string, doThis: string): Problem {
  return invalidField(
    ['assistantId'],
    'missing',
    `the call has no assistant, and ${problem}`,
    `send assistantId or assistant, or ${doThis}`,
  )
}
