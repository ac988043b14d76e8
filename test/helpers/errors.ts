/** The error that a function throws, or a promise rejects with; fails if there is none. */
export async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<unknown> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** Codes of findings or failures, in order. */
export function codesOf<Code>(items: readonly { readonly code: Code }[]): Code[] {
  return items.map(({ code }) => code)
}
