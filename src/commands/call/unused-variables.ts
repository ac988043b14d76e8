import { findUsedVariables } from '../../calls/index.ts'
import type { Context } from '../../cli/context.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'

/** Warns of variables of --var that no text of the assistant uses. */
export async function warnOfUnusedVariables(
  variables: Readonly<Record<string, string>>,
  texts: { readonly file: string; readonly overrides: unknown },
  context: Context,
): Promise<void> {
  const used = await findUsedVariables(texts, context)
  if (used === undefined) return
  const unused = Object.keys(variables).filter(name => !used.includes(name))
  const available =
    used.length === 0 ? 'they use no variables' : `they use ${used.map(name => `{{${name}}}`).join(', ')}`
  for (const name of unused)
    context.output.warn(
      `--var ${name} has no effect: no text in ${texts.file} uses {{${name}}}`,
      meantHint(didYouMean(name, used)) ?? available,
    )
}
