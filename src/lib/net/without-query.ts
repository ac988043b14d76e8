/** An address without its query, which may hold a secret. */
export function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
