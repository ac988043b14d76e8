import * as z from 'zod/mini'
import { check } from '../../interface/check.ts'
import { optional, required, someText } from '../../interface/fields.ts'
import type { Finding } from '../../interface/finding.ts'
import { toWire, type Vocabulary, wordEnum } from '../../interface/vocabulary.ts'
import { phoneVendors } from '../../interface/words.ts'
import { type Diagnostic, InvalidInput, readSource } from '../../source/index.ts'
import { invalidBody, Problem, refusal } from './problem.ts'
import type { RecordStore, StoredRecord } from './store.ts'

/** A file of phone numbers (`sandbox start --numbers`): the interface has no endpoint that creates them. */
const phoneNumbersSchema = (vocabulary: Vocabulary) =>
  z.array(
    z.strictObject({
      id: required(someText(), 'Id of the phone number'),
      number: required(someText(), 'The number itself'),
      assistantId: optional(someText(), 'Default assistant of the number'),
      phoneVendor: optional(wordEnum(vocabulary, phoneVendors), 'Who carries calls of the number', {
        default: vocabulary[phoneVendors[0]] ?? phoneVendors[0],
      }),
    }),
  )

export type PhoneNumber = z.infer<ReturnType<typeof phoneNumbersSchema>>[number]

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
}

/**
 * With a list, its numbers and no others; without one any number or id is taken, and the newest assistant is its default.
 */
export function createPhoneLines(
  numbers: readonly PhoneNumber[] | undefined,
  store: RecordStore,
): PhoneLines {
  if (numbers === undefined) {
    const defaultAssistant = () => {
      const newest = store.newestAssistant()
      if (newest !== undefined) return newest
      throw noAssistant('no assistant exists yet', 'create one first: callwright assistant create <file>')
    }
    return {
      byNumber: number => ({ phoneNumberId: undefined, number, phoneVendor: undefined, defaultAssistant }),
      byId: id => ({ phoneNumberId: id, number: id, phoneVendor: undefined, defaultAssistant }),
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
    byNumber(number) {
      const found = numbers.find(one => plain(one.number) === plain(number))
      if (found !== undefined) return toLine(found)
      const known = numbers.map(one => one.number).join(', ')
      throw invalidBody([
        refusal(
          ['assistantNumber'],
          'not-allowed',
          `assistantNumber ${JSON.stringify(number)} is not in the numbers file`,
          `it holds ${known || 'no number'}`,
        ),
      ])
    },
    byId(id) {
      const found = numbers.find(one => one.id === id)
      if (found !== undefined) return toLine(found)
      throw new Problem(404, `there is no phone number with the id ${JSON.stringify(id)}`, {
        hint: `the numbers file holds ${numbers.map(one => one.id).join(', ') || 'none'}`,
      })
    },
  }
}

function noAssistant(what: string, doThis: string): Problem {
  return invalidBody([
    refusal(
      ['assistantId'],
      'missing',
      `the call names no assistant, and ${what}`,
      `give assistantId or assistant, or ${doThis}`,
    ),
  ])
}

function plain(number: string): string {
  return number.replace(/[\s().-]/g, '')
}

/**
 * Reads a file of phone numbers: a YAML or JSON list of `{ id, number, assistantId?, phoneVendor? }`. A vendor may be written
 * by its placeholder or by the deployment's own word.
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
  const numbers = schema.parse(toWire(schema, source.value))
  const repeated = [...repeats(numbers, 'id'), ...repeats(numbers, 'number')]
  if (repeated.length > 0) throw new InvalidInput(repeated.map(locate))
  return numbers
}

function repeats(numbers: readonly PhoneNumber[], field: 'id' | 'number'): Finding[] {
  return numbers.flatMap((number, index) => {
    const first = numbers.findIndex(other => other[field] === number[field])
    return first === index
      ? []
      : [refusal([index, field], 'duplicate', `${field} ${JSON.stringify(number[field])} is there twice`)]
  })
}
