/** A variable in a text. Its name may contain spaces. */
export const variablePlaceholder = /\{\{\s*([^\s{}]+(?: +[^\s{}]+)*)\s*\}\}/g

/** Fills `{{name}}` in texts (interface.md 2.6, dynamicVariables); a variable that is not set stays as it is. */
export function createVariables(values: Readonly<Record<string, string>>) {
  const unset = new Set<string>()
  return {
    /** Names that a text used and nothing set. */
    unset: unset as ReadonlySet<string>,
    fill: (text: string) =>
      text.replace(variablePlaceholder, (whole, name: string) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined
        if (value === undefined) unset.add(name)
        return value ?? whole
      }),
  }
}
