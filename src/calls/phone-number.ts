export type ParsedNumber = { readonly value: string } | { readonly problem: string; readonly hint?: string }

/**
 * Returns a function that reads phone numbers as people write them, in E.164 form: `+1 (202) 555-0100` is `+12025550100`. With
 * `allowAny` it takes any text but an empty one.
 */
export async function phoneNumberParser(allowAny = false): Promise<(text: string) => ParsedNumber> {
  if (allowAny) return text => (text === '' ? { problem: 'a number is needed' } : { value: text })
  const { default: parse } = await import('libphonenumber-js')
  return text => {
    const parsed = parse(text.trim(), { extract: false })
    if (parsed?.isPossible() === true && parsed.ext === undefined) return { value: parsed.number }
    return {
      problem: `${JSON.stringify(text)} is not a phone number with its country code`,
      hint: 'write it with + and its country code, such as +12025550123; to skip this check, pass --allow-any-number',
    }
  }
}
