/**
 * The values of `{{name}}` in templates, from what was said of them: `Hello {{name}}, …` and `Hello Ada, …` give Ada. A recording of the
 * service shows what was said, and often not the overrides of the call. Linear in the texts.
 */
export function inferVariables(
  templates: readonly string[],
  said: readonly string[],
): Record<string, string> {
  const found = new Map<string, string>()
  for (const template of templates) {
    const parts = template
      .replace(/\s+/g, ' ')
      .trim()
      .split(/\{\{\s*([^\s{}]+)\s*\}\}/)
    for (const text of said) {
      const values = valuesIn(parts, text)
      if (values === undefined) continue
      for (const [name, value] of values) if (!found.has(name)) found.set(name, value)
      break
    }
  }
  return Object.fromEntries(found)
}

/** `parts` are texts and, in between, names. Undefined: the text was not made of them. */
function valuesIn(parts: readonly string[], text: string): Map<string, string> | undefined {
  const values = new Map<string, string>()
  const [first = ''] = parts
  if (!text.startsWith(first)) return undefined
  let end = first.length
  for (let index = 1; index < parts.length; index += 2) {
    const [name = '', next = ''] = parts.slice(index, index + 2)
    const isLast = index + 2 >= parts.length
    // Two variables that touch cannot be told apart.
    if (next === '' && !isLast) return undefined
    const at = isLast ? text.length - next.length : text.indexOf(next, end)
    if (at < end || !text.startsWith(next, at)) return undefined
    const value = text.slice(end, at)
    if (value.trim() === '' || value.length > maxLength || (values.get(name) ?? value) !== value)
      return undefined
    values.set(name, value)
    end = at + next.length
  }
  return end === text.length ? values : undefined
}

const maxLength = 200
