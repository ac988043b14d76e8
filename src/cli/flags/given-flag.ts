/** The first of these flags that was given: for those that say nothing without another one. */
export function givenFlag(flags: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(flags).find(flag => flags[flag] !== undefined)
}
