/** Fills `{{name}}` in texts (interface.md 2.6, dynamicVariables); a variable that is not set stays as it is. */
export interface Variables {
  fill(text: string): string
  /** Names that a text used and nothing set. */
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

interface Filling {
  fill(text: string): string
  readonly unsetVariables: ReadonlySet<string>
}

/** Fills texts during a call. `fill` and `warn` warn once of each variable that is not set. */
export function warnOfUnset({ fill, unsetVariables }: Filling, tell: (message: string) => void) {
  const warned = new Set<string>()
  const warn = () => {
    for (const name of unsetVariables) {
      if (!warned.has(name)) tell(`the variable {{${name}}} is not set`)
      warned.add(name)
    }
  }
  return {
    warn,
    fill(text: string): string {
      const filled = fill(text)
      warn()
      return filled
    },
  }
}
