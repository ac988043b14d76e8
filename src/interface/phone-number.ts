import * as z from 'zod/mini'
import { type Infer, lazy } from '../lib/lazy.ts'
import { named, optional, required, someText } from './fields.ts'
import type { FieldPath } from './finding.ts'
import { type Vocabulary, wordEnum } from './vocabulary.ts'
import { phoneVendors } from './words.ts'

/** Outcomes of calling a phone: the values of `outcome:` in the numbers file. */
export const phoneOutcomes = [
  'answered',
  'busy',
  'no-answer',
  'unreachable',
  'voicemail',
  'hang-up',
  'dropped',
  'silent',
] as const
export type PhoneOutcome = (typeof phoneOutcomes)[number]

/** A file of phone numbers (`sandbox start --numbers`): the interface has no endpoint that creates them. */
export const phoneNumbersSchema = (vocabulary: Vocabulary) =>
  z.array(phoneNumberSchema(vocabulary)).check(z.superRefine(checkNumbers))

export const phoneNumberSchema = (vocabulary: Vocabulary) =>
  named(
    'PhoneNumber',
    z.strictObject({
      id: optional(someText(), 'Id of the phone number; needed for one of an assistant'),
      number: required(someText(), 'The number itself'),
      assistantId: optional(someText(), 'Default assistant of the number'),
      phoneVendor: optional(wordEnum(vocabulary, phoneVendors), 'Phone vendor of the number', {
        default: vocabulary[phoneVendors[0]] ?? phoneVendors[0],
      }),
      outcome: optional(
        z.union([outcomeSchema(), z.array(outcomeSchema()).check(z.minLength(1))]),
        'Outcome of calls to the number: one outcome, or a list in order whose last one repeats',
      ),
    }),
  )

const outcomeSchema = lazy(() => named('PhoneOutcome', z.enum(phoneOutcomes), 'Outcome of a call to a phone'))

export type PhoneNumber = Infer<typeof phoneNumberSchema>

/** Each number is there once, in any notation, and each but one that is only called has an id. */
function checkNumbers(numbers: readonly PhoneNumber[], context: z.core.$RefinementCtx): void {
  const report = (path: FieldPath, message: string, params: { code: string; hint?: string }) =>
    context.addIssue({ code: 'custom', input: numbers, path: [...path], message, params })
  const knownNumbers = new Set<string>()
  for (const [index, { id, number, assistantId, phoneVendor, outcome }] of numbers.entries()) {
    const isCalledOnly = outcome !== undefined && assistantId === undefined && phoneVendor === undefined
    if (id === undefined && !isCalledOnly) {
      const hint = 'add id; a number that is only called has number and outcome alone'
      report([index, 'id'], `the number ${JSON.stringify(number)} has no id`, { code: 'missing', hint })
    }
    for (const [field, value, key] of [
      ['id', id, `id ${id}`],
      ['number', number, comparableNumber(number)],
    ] as const) {
      if (value !== undefined && knownNumbers.has(key))
        report([index, field], `${field} ${JSON.stringify(value)} is there twice`, { code: 'duplicate' })
      knownNumbers.add(key)
    }
  }
}

/**
 * A phone number in one notation, to compare it: its digits with the country code, also for one written with spaces,
 * brackets, `tel:`, `00`, `011`, an extension or other digits, and for one that a program has stored as a decimal. Ten digits without a
 * country code are a number of +1. A text without digits is itself.
 */
export function comparableNumber(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, digit => String(digit.charCodeAt(0) & 0xf))
    // Without the flag `i`, whose tables V8 builds in 0.2 ms.
    .replace(/^\s*(\d{5,})[.,]0+\s*$/, '$1')
    .replace(/(?<=\d)\s*(?:[;,@#xX]|[eE][xX][tT]).*/s, '')
  const isInternational = plain.includes('+')
  const digits = (isInternational ? plain.replace('(0)', '') : plain).replace(/\D/g, '')
  if (digits === '') return text.trim().toLowerCase()
  // Mexican mobile numbers had a 1 after the country code until 2019.
  if (isInternational) return digits.replace(/^521(?=\d{10}$)/, '52')
  const prefix = ['00', '011'].find(candidate => digits.startsWith(candidate) && digits.length > 10)
  if (prefix !== undefined) return digits.slice(prefix.length)
  return digits.length === 10 && !digits.startsWith('0') ? `1${digits}` : digits
}
