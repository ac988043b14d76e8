import { isObject } from '../lib/json/is-object.ts'
import type { Parsed } from './parsed.ts'

/**
 * Takes the top-level `$schema` out of what was parsed: it tells editors the schema of the file, and is no field of the
 * resource, so it is never checked as one and never sent.
 */
export function withoutSchemaKey(parsed: Parsed): Parsed {
  const { value, flaws, offsetOf } = parsed
  if (!isObject(value) || !Object.hasOwn(value, '$schema')) return parsed
  const { $schema, ...rest } = value
  if (typeof $schema === 'string') return { ...parsed, value: rest }
  const wrong = {
    code: 'wrong-type',
    path: ['$schema'],
    message: '$schema is no text; allowed: the path or URL of the schema of this file',
    hint: 'for example ./schemas/assistant.schema.json',
    offset: offsetOf(['$schema'], 'value'),
  }
  return { ...parsed, value: rest, flaws: [...flaws, wrong] }
}
