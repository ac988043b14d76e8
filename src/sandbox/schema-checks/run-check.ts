import { hashOf } from '../../lib/hash.ts'
import type { Answers, CheckedArguments, Questions } from './checks.ts'

const maxKnownAnswers = 1000

/** Cached results: a check takes a hundred times as long, and calls of one run repeat the same checks. */
const knownAnswers: { readonly [Name in keyof Answers]: Map<string, Answers[Name]> } = {
  data: new Map(),
  arguments: new Map(),
}

/** Validates values with a schema written by an assistant's author, within bounds. Never rejects because of a schema. */
export async function runCheck<Name extends keyof Questions>(
  check: Name,
  question: Questions[Name],
): Promise<Answers[Name]> {
  const known = knownAnswers[check]
  const text = JSON.stringify([question.schema, question.values])
  const key = hashOf(text)
  const before = known.get(key)
  if (before !== undefined) return before
  const { checks, loadPatternEngine } = await import('./checks.ts')
  // `pattern` or `patternProperties`.
  if (text.includes('"pattern')) await loadPatternEngine()
  const result = checks[check](question)
  if (known.size >= maxKnownAnswers) known.clear()
  known.set(key, result)
  return result
}

/** Checks arguments against a tool's function.parameters. */
export async function checkArguments(
  schema: Questions['arguments']['schema'],
  values: unknown,
): Promise<CheckedArguments> {
  return runCheck('arguments', { schema, values })
}
