import type { Analysis } from '../../interface/analysis.ts'
import type { AnalysedCall } from './analysed-call.ts'
import { analyseByModel, type MadeAnalysis, type ModelDeps } from './by-model.ts'
import { analyseByRule } from './by-rule.ts'

/** interface.md 2.4: what is made of a call that ended, by the model where there is one, else by rule. */
export function analyseCall(
  plan: Analysis | undefined,
  call: AnalysedCall,
  { ask, ...world }: Omit<ModelDeps, 'ask'> & { readonly ask: ModelDeps['ask'] | undefined },
): Promise<MadeAnalysis> {
  return ask === undefined
    ? analyseByRule(plan ?? {}, call)
    : analyseByModel(plan ?? {}, call, { ...world, ask })
}
