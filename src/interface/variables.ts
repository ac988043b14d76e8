/** Fills `{{name}}` in texts (interface.md 2.6, dynamicVariables); a variable that is not set stays as it is. */
export function createVariables(values: Readonly<Record<string, string>>) {
  const unset = new Set<string>()
  return {
    /** Names that a text used and nothing set. */
    unset: unset as ReadonlySet<string>,
    fill: (text: string) =>
      text.replace(/\{\{\s*([^\s{}]+)\s*\}\}/g, (whole, name: string) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined
        if (value === undefined) unset.add(name)
        return value ?? whole
      }),
  }
}
