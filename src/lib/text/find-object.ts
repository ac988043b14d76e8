import { isObject, nestsAtMost } from '../json.ts'

/** Readers walk through the object again and again. */
const maxDepth = 50

/**
 * Finds the JSON object in a model's reply, in a code fence or surrounded by text. Undefined if there is none or if it nests more than 50
 * levels deep. Ignores fields named `__proto__`.
 */
export function findObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const [, fenced = ''] = text.split('```', 2)
  const object = parseObject(text) ?? parseObject(fenced)
  return object !== undefined && nestsAtMost(object, maxDepth) ? object : undefined
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start === -1 || end < start) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1), (name, inner: unknown) =>
      name === '__proto__' ? undefined : inner,
    )
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
