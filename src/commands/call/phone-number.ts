import type { Answer } from './call-form.ts'

/**
 * Phone numbers as people write them, in E.164 form: `+1 (202) 555-0100` is `+12025550100`. With `allowAny` a number is
 * taken as it is.
 */
export async function phoneNumbers(allowAny: boolean): Promise<(text: string) => Answer> {
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
