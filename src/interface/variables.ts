import { lazy } from '../lib/lazy.ts'

/** Text between double braces. */
export const variablePlaceholder = /\{\{\s*([^\s{}]+(?: +[^\s{}]+)*)\s*\}\}/g

/** Name of a variable: words of letters and digits. `#if vip`, `/if`, `else` and `name | upcase` are for the template language of the service. */
const plainName = lazy(
  () => /^(?!else(?: |$))[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*(?: +[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*)*$/u,
)

/**
 * Fills `{{name}}` in texts (interface.md 2.6, dynamicVariables). Leaves unset variables and other text in braces unchanged.
 * `serviceVariables` are set by the service.
 */
export function createVariables(
  values: Readonly<Record<string, string>>,
  serviceVariables: readonly string[] = [],
) {
  const unset = new Set<string>()
  const forService = new Set<string>()
  return {
    /** Names that a text used and nothing set. */
    unset: unset as ReadonlySet<string>,
    /** Other text in braces: variables and template language of the service. */
    forService: forService as ReadonlySet<string>,
    fill: (text: string) =>
      text.replace(variablePlaceholder, (whole, name: string) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined
        if (value !== undefined) return value
        const isOurs = plainName().test(name) && !serviceVariables.includes(name)
        ;(isOurs ? unset : forService).add(name)
        return whole
      }),
  }
}
