/** A promise and what resolves it: `Promise.withResolvers` for Node 20. */
export function createDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(fulfil => {
    resolve = fulfil
  })
  return { promise, resolve }
}
