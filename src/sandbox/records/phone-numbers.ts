import * as z from 'zod/mini'
import { check } from '../../interface/check.ts'
import { optional, required, someText } from '../../interface/fields.ts'
import type { FieldPath, Finding } from '../../interface/finding.ts'
import { toWire, type Vocabulary, wordEnum } from '../../interface/vocabulary.ts'
import { phoneVendors } from '../../interface/words.ts'
import { type Diagnostic, InvalidInput, readSource } from '../../source/index.ts'
import { comparableNumber, phoneOutcomes } from '../engine/phone-outcome.ts'

/** A file of phone numbers (`sandbox start --numbers`): the interface has no endpoint that creates them. */
export const phoneNumbersSchema = (vocabulary: Vocabulary) =>
  z.array(phoneNumberSchema(vocabulary)).check(z.superRefine(checkNumbers))

const phoneNumberSchema = (vocabulary: Vocabulary) =>
  z.strictObject({
    id: optional(someText(), 'Id of the phone number; needed for one of an assistant'),
    number: required(someText(), 'The number itself'),
    assistantId: optional(someText(), 'Default assistant of the number'),
    phoneVendor: optional(wordEnum(vocabulary, phoneVendors), 'Who carries calls of the number', {
      default: vocabulary[phoneVendors[0]] ?? phoneVendors[0],
    }),
    outcome: optional(
      z.union([z.enum(phoneOutcomes), z.array(z.enum(phoneOutcomes)).check(z.minLength(1))]),
      'What happens when the number is called: one outcome, or one for each call; the last one stays',
    ),
  })

export type PhoneNumber = z.infer<ReturnType<typeof phoneNumberSchema>>

/** Each number is there once, in any notation, and each but one that is only called has an id. */
function checkNumbers(numbers: readonly PhoneNumber[], context: z.core.$RefinementCtx): void {
  const report = (path: FieldPath, message: string, params: { code: string; hint?: string }) =>
    context.addIssue({ code: 'custom', input: numbers, path: [...path], message, params })
  const seen = new Set<string>()
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
      if (value !== undefined && seen.has(key))
        report([index, field], `${field} ${JSON.stringify(value)} is there twice`, { code: 'duplicate' })
      seen.add(key)
    }
  }
}

/**
 * Reads a file of phone numbers: a YAML or JSON list of `{ id, number, assistantId?, phoneVendor?, outcome? }`, and of
 * `{ number, outcome }` for phones that are called. A vendor may be written by its placeholder or by the deployment's own word.
 * @throws InvalidInput with every finding and its place in the file
 */
export async function readNumbers(
  file: string,
  { cwd, vocabulary = {} }: { readonly cwd: string; readonly vocabulary?: Vocabulary },
): Promise<PhoneNumber[]> {
  const source = await readSource(file, { cwd })
  if (source.diagnostics.length > 0) throw new InvalidInput(source.diagnostics)
  const locate = (finding: Finding): Diagnostic => ({
    ...finding,
    file: source.file,
    position: source.positionOf(finding.path, finding.at),
  })
  const schema = phoneNumbersSchema(vocabulary)
  const findings = check(schema, source.value, { written: source.writtenAt })
  if (findings.length > 0) throw new InvalidInput(findings.map(locate))
  return schema.parse(toWire(schema, source.value))
}
