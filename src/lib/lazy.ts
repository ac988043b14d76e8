/** Builds a value on first use and caches it. */
export function lazy<Value>(build: () => Value): () => Value {
  let built: { readonly value: Value } | undefined
  return () => {
    built ??= { value: build() }
    return built.value
  }
}
