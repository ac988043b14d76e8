import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'

/** What a text from a flag or a person comes to. */
export type FormAnswer = { readonly value: string } | { readonly problem: string; readonly hint?: string }

export interface Field {
  readonly flag: string
  /** The question, where there is a person. */
  readonly message: string
  /** From the flag. */
  readonly given: string | undefined
  read(text: string): FormAnswer
}

export interface Form {
  /** Whether a person is asked for at least one of the fields. */
  readonly asks: boolean
  /** The value that was given, or that a person gives now. */
  answer(field: Field): Promise<string>
}

/**
 * The fields that a command needs. All of them are looked at before the first question.
 * @throws CallwrightError `usage` for a value that does not pass, and outside a terminal one that names all missing flags
 */
export function openForm(fields: readonly Field[], { prompts }: Pick<Context, 'prompts'>): Form {
  for (const field of fields) if (field.given !== undefined) read(field, field.given)
  const missing = fields.flatMap(({ flag, given }) => (given === undefined ? [flag] : []))
  if (missing.length > 0 && !prompts.available) {
    const are = missing.length === 1 ? 'is' : 'are'
    throw new CallwrightError('usage', `${missing.join(' and ')} ${are} missing`, { details: { missing } })
  }
  return {
    asks: missing.length > 0,
    answer: async field => read(field, field.given ?? (await ask(field, prompts))),
  }
}

function read(field: Field, text: string): string {
  const answer = field.read(text)
  if ('value' in answer) return answer.value
  throw new CallwrightError('usage', `${field.flag}: ${answer.problem}`, { hint: answer.hint })
}

async function ask(field: Field, prompts: Context['prompts']): Promise<string> {
  const { flag, message } = field
  return prompts.text({
    message,
    flag,
    validate: text => {
      const answer = field.read(text)
      return 'value' in answer || answer.problem
    },
  })
}

/**
 * Phone numbers as people write them, in E.164 form: `+1 (202) 555-0100` is `+12025550100`. With `allowAny` a number is
 * taken as it is.
 */
export async function phoneNumbers(allowAny: boolean): Promise<(text: string) => FormAnswer> {
  if (allowAny) return text => (text === '' ? { problem: 'a number is needed' } : { value: text })
  const { default: parse } = await import('libphonenumber-js')
  return text => {
    const parsed = parse(text.trim(), { extract: false })
    if (parsed?.isPossible() === true && parsed.ext === undefined) return { value: parsed.number }
    return {
      problem: `${JSON.stringify(text)} is not a phone number with its country code`,
      hint: 'write + and country code first: +12025550123; --allow-any-number skips this check',
    }
  }
}
