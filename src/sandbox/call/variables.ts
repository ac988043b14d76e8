/** Fills `{{name}}` in texts (interface.md 2.6, dynamicVariables); a variable that nobody set stays as it is. */
export interface Variables {
  fill(text: string): string
  /** Names that a text used and nobody set. */
  readonly unset: ReadonlySet<string>
}

export function createVariables(values: Readonly<Record<string, string>>): Variables {
  const unset = new Set<string>()
  return {
    unset,
    fill: text =>
      text.replace(/\{\{\s*([^\s{}]+)\s*\}\}/g, (whole, name: string) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined
        if (value === undefined) unset.add(name)
        return value ?? whole
      }),
  }
}
