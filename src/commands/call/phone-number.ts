import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'

interface Asked {
  readonly flag: '--from' | '--to'
  readonly message: string
  readonly value: string | undefined
  readonly allowAnyNumber: boolean
}

/** A phone number from a flag, or from a person when there is one. E.164, unless any number is allowed. */
export async function phoneNumber(
  { flag, message, value, allowAnyNumber }: Asked,
  context: Context,
): Promise<string> {
  const { default: parse } = await import('libphonenumber-js')
  const problem = (number: string): string | undefined => {
    if (allowAnyNumber) return number === '' ? 'a number is needed' : undefined
    const parsed = parse(number)
    if (parsed === undefined || !parsed.isPossible())
      return `${JSON.stringify(number)} is not a phone number in E.164 form`
    return parsed.number === number
      ? undefined
      : `${JSON.stringify(number)} is not in E.164 form; write ${parsed.number}`
  }
  const number =
    value ?? (await context.prompts.text({ message, flag, validate: answer => problem(answer) ?? true }))
  const found = problem(number)
  if (found !== undefined) {
    throw new CliError('usage', `${flag}: ${found}`, {
      hint: 'E.164 is + and country code, then only digits: +12025550123; --allow-any-number skips this check',
    })
  }
  return number
}
