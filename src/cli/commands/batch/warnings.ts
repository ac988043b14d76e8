import type { Diagnostic } from '../../../files/source/index.ts'

/** Returns the warnings of a plan without the one of a missing window at a sandbox, where no phone rings. */
export function warningsAt(
  warnings: readonly Diagnostic[],
  { isSandbox }: { readonly isSandbox: boolean },
): readonly Diagnostic[] {
  return isSandbox ? warnings.filter(({ code }) => code !== 'no-window') : warnings
}
