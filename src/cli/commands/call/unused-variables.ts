import { describeExpressions, findUsedVariables } from '../../../calls/place/index.ts'
import { didYouMean, meantHint } from '../../../lib/text/did-you-mean.ts'
import type { Context } from '../../shell/context.ts'
import { showWarnings } from '../warnings.ts'

/** Warns of variables of --var that no text of the assistant uses. */
export async function warnOfUnusedVariables(
  variables: Readonly<Record<string, string>>,
  texts: { readonly file: string; readonly overrides: unknown },
  context: Context,
): Promise<void> {
  const used = await findUsedVariables(texts, context)
  if (used === undefined) return
  const { names, optional } = used
  const expressions = used.expressions.filter(name => !Object.hasOwn(variables, name))
  if (expressions.length > 0) showWarnings([describeExpressions(expressions)], context)
  const unused = Object.keys(variables).filter(name => !names.includes(name) && !optional.includes(name))
  const available =
    names.length === 0 ? 'they use no variables' : `they use ${names.map(name => `{{${name}}}`).join(', ')}`
  for (const name of unused)
    context.output.warn(
      `--var ${name} has no effect: no text in ${texts.file} uses {{${name}}}`,
      meantHint(didYouMean(name, names)) ?? available,
    )
}
