import { describeNumberProblem, phoneNumberReader } from '../../../calls/place/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { dim } from '../../../lib/text/text.ts'
import type { Context } from '../../shell/context.ts'

interface FieldRules {
  /** Instruction, shown before the prompt and if nothing was entered. */
  readonly instruction?: string | undefined
  read(text: string): { readonly value: string } | { readonly problem: string; readonly hint?: string }
}

/** A value of a call that a flag gives, or a person enters. */
export interface Field extends FieldRules {
  readonly flag: string
  /** The question to a person. */
  readonly message: string
  /** The value of the flag. */
  readonly value: string | undefined
}

/** The rules for a phone number in E.164 form. With `allowAny`, any number is accepted unchanged. */
export async function phoneNumberRules(allowAny = false): Promise<FieldRules> {
  if (allowAny) return { read: text => (text === '' ? { problem: 'a number is needed' } : { value: text }) }
  const readNumber = await phoneNumberReader()
  return {
    instruction: 'Enter a number with its country code, such as +12025550100',
    read(written) {
      const number = readNumber(written)
      if ('number' in number) return { value: number.number }
      const { problem, readings } = number
      const described = describeNumberProblem({ problem, written, readings })
      return {
        problem: described.message,
        hint: `${described.hint}; to skip this check, pass --allow-any-number`,
      }
    },
  }
}

/**
 * Returns the flags that a person is to be asked for. All fields are checked before the first question.
 * @throws CallyardError `usage` for a value that does not pass, and for missing flags if nobody can be asked
 */
export function missingFlags(fields: readonly Field[], { prompts }: Context): string[] {
  for (const field of fields) if (field.value !== undefined) readField(field, field.value)
  const missing = fields.flatMap(({ flag, value }) => (value === undefined ? [flag] : []))
  if (missing.length === 0 || prompts.available) return missing
  const are = missing.length === 1 ? 'is' : 'are'
  throw new CallyardError('usage', `${missing.join(' and ')} ${are} missing`, { details: { missing } })
}

/** Returns the value of a field, or asks for it. An instruction that the `previous` question has shown is not repeated. */
export async function fillIn(field: Field, { prompts, output }: Context, previous?: Field): Promise<string> {
  const { flag, message, instruction, value } = field
  if (value !== undefined) return readField(field, value)
  const isShown = previous?.value === undefined && previous?.instruction === instruction
  if (instruction !== undefined && !isShown) output.note(dim(instruction), { isRequested: true })
  const validate = (entered: string) => {
    const parsed = field.read(entered)
    if ('value' in parsed) return true
    return (entered.trim() === '' ? instruction : undefined) ?? parsed.problem
  }
  return readField(field, await prompts.text({ message, flag, validate }))
}

function readField(field: Field, entered: string): string {
  const parsed = field.read(entered)
  if ('value' in parsed) return parsed.value
  throw new CallyardError('usage', `${field.flag}: ${parsed.problem}`, { hint: parsed.hint })
}
