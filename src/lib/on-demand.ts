/** What is built when it is first asked for, and kept: a run that does not ask does not wait for it. */
export function onDemand<Value>(build: () => Value): () => Value {
  let built: { readonly value: Value } | undefined
  return () => {
    built ??= { value: build() }
    return built.value
  }
}
