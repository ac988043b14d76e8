import { isObject } from '../../lib/json.ts'
import { askWorker } from '../schema-checks/ask-worker.ts'
import type { CheckedData, DataSchema } from '../schema-checks/worker.ts'

/** What is read of a model's answer: the rest of the sandbox walks through it again and again. */
const maxDepth = 50

/** What of these values passes the schema, as checkData of schema-checks/ says; nothing where that takes longer than a second. */
export async function checkStructuredData(
  schema: DataSchema,
  values: Readonly<Record<string, unknown>>,
): Promise<CheckedData> {
  const checked = await askWorker('data', { schema, values })
  return (
    checked ?? {
      data: {},
      problems: ['the structured data was left out: its schema takes longer than a second to check'],
    }
  )
}

/**
 * The JSON object that stands in a model's answer, in a code fence or with words around it. Undefined when there is none,
 * or one that nests more than 50 levels deep. Fields named `__proto__` are left out.
 */
export function findObject(answer: string): Readonly<Record<string, unknown>> | undefined {
  const [, fenced = ''] = answer.split('```', 2)
  const found = parseObject(answer) ?? parseObject(fenced)
  return found === undefined || isDeep(found, maxDepth) ? undefined : found
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

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => isDeep(inner, levels - 1))
}
