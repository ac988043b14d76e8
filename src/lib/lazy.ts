import type * as z from 'zod/mini'

/** Type of the values of a schema that a function creates, such as a lazy one. */
export type Infer<Schema extends (...args: never[]) => z.core.$ZodType | Promise<z.core.$ZodType>> = z.infer<
  Awaited<ReturnType<Schema>>
>

/** Builds a value on first use and caches it. */
export function lazy<Value>(build: () => Value): () => Value {
  let built: { readonly value: Value } | undefined
  return () => {
    built ??= { value: build() }
    return built.value
  }
}

/** Computes the value of each key on first use and caches it. */
export function memoize<Key, Value extends NonNullable<unknown> | null>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return key => {
    const cached = values.get(key)
    if (cached !== undefined) return cached
    const value = compute(key)
    values.set(key, value)
    return value
  }
}
