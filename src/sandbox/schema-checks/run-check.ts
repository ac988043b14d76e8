import { hashContent } from '../../lib/hash.ts'
import type { CheckedArguments, CheckResults, Questions } from './checks.ts'

const maxCachedResults = 1000

/** Cached results: a check takes a hundred times as long, and calls of one run repeat the same checks. */
const cachedResults: { readonly [Name in keyof CheckResults]: Map<string, CheckResults[Name]> } = {
  data: new Map(),
  arguments: new Map(),
}

/** Validates values with a schema written by an assistant's author, within bounds. Never rejects because of a schema. */
export async function runCheck<Name extends keyof Questions>(
  check: Name,
  question: Questions[Name],
): Promise<CheckResults[Name]> {
  const cache = cachedResults[check]
  const text = JSON.stringify([question.schema, question.values])
  const key = hashContent(text)
  const before = cache.get(key)
  if (before !== undefined) return before
  const { checks, loadPatternEngine } = await import('./checks.ts')
  // `pattern` or `patternProperties`.
  if (text.includes('"pattern')) await loadPatternEngine()
  const result = checks[check](question)
  if (cache.size >= maxCachedResults) cache.clear()
  cache.set(key, result)
  return result
}

/** Checks arguments against a tool's function.parameters. */
export async function checkArguments(
  schema: Questions['arguments']['schema'],
  values: unknown,
): Promise<CheckedArguments> {
  return runCheck('arguments', { schema, values })
}
