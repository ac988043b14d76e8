import { variablePlaceholder } from '../../interface/variables.ts'

/** Infers variables from speech, because recordings often lack overrides: `Hello {{name}}, …` and `Hello Ada, …` give Ada. */
export function inferVariables(
  templates: readonly string[],
  spokenTexts: readonly string[],
): Record<string, string> {
  const variables = new Map<string, string>()
  for (const template of templates) {
    const parts = template.replace(/\s+/g, ' ').trim().split(variablePlaceholder)
    for (const text of spokenTexts) {
      const values = matchTemplate(parts, text)
      if (values === undefined) continue
      for (const [name, value] of values) if (!variables.has(name)) variables.set(name, value)
      break
    }
  }
  return Object.fromEntries(variables)
}

/** Matches a text against alternating literals and variable names. Returns undefined if it does not match. */
function matchTemplate(parts: readonly string[], text: string): Map<string, string> | undefined {
  const values = new Map<string, string>()
  const [first = ''] = parts
  if (!text.startsWith(first)) return undefined
  let end = first.length
  for (let index = 1; index < parts.length; index += 2) {
    const [name = '', next = ''] = parts.slice(index, index + 2)
    const isLast = index + 2 >= parts.length
    // Adjacent variables cannot be separated.
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
