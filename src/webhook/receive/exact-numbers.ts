/**
 * JSON with each number that JSON.parse would round as a text of its digits: two ids of twenty digits must not become one. For valid
 * JSON; one pass, and no pattern that could go back over a long text.
 */
export function withExactNumbers(json: string): string {
  let isInText = false
  return json.replace(/"|\\.|-?\d[\d.eE+-]*/gs, token => {
    if (token === '"') isInText = !isInText
    const isNumber = !isInText && token !== '"' && !token.startsWith('\\')
    return isNumber && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token
  })
}
