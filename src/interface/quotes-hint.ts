import * as z from 'zod/mini'

/**
 * What to do where a text is wanted and YAML read a number, true, false or nothing: `+12025550123` without quotes is a
 * number. Undefined where quotes would not help.
 */
export function quotesHint(
  schema: z.ZodMiniType | undefined,
  found: unknown,
  written: string | undefined,
): string | undefined {
  // An object may have a `toString` of its own that is no function.
  if (typeof found === 'object' && found !== null) return undefined
  const inner = schema instanceof z.ZodMiniNullable ? schema.def.innerType : schema
  const text = written ?? String(found)
  const wanted =
    inner instanceof z.ZodMiniString || (inner instanceof z.ZodMiniEnum && inner.options.includes(text))
  if (!wanted) return undefined
  if (typeof found === 'number' || typeof found === 'boolean' || (found === null && written))
    return `put it in quotes: ${JSON.stringify(text)}`
  return found === null ? 'write a text, or leave the field out' : undefined
}
