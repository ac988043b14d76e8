/** Conditions about figures and silence: from text to a verdict. */
export {
  type Condition,
  type FigureCondition,
  parseCondition,
  type SilenceCondition,
} from './condition.ts'
export type { ConditionProblem } from './condition-problem.ts'
export { evaluateCondition, findCallsBehind, type Verdict } from './evaluate-condition.ts'
