/** Reports: facts of each call, metrics, conditions, and comparison with another period. Nothing here prints. */
export { buildReport, type CallsReport } from './build-report.ts'
export { type CallFacts, type CallLanes, type FactsOptions, toCallFacts } from './call-facts.ts'
export { createFactsCollector } from './collect-facts.ts'
export type { FigureChange } from './compare.ts'
export {
  type Condition,
  type FigureCondition,
  parseCondition,
  type SilenceCondition,
} from './condition.ts'
export type { ConditionProblem } from './condition-problem.ts'
export { evaluateCondition, findCallsBehind, type Verdict } from './evaluate-condition.ts'
export { computeFigures, type Figure, type Figures, type ValuesFigure } from './figures.ts'
export { formatPercent, formatValue } from './format-value.ts'
export { groupCalls, groupings } from './groups.ts'
export { type MetricUnit, metricTitle, partsOf } from './metrics.ts'
export { callProblemTitles } from './problems.ts'
export { type RecordedSource, readFacts } from './read-facts.ts'
export { reportDocument, reportDocumentSchema } from './report-document.ts'
export { type SlowestAnswer, slowestAnswerSchema } from './slowest-answer-schema.ts'
export { type Interval, medianOf } from './statistics.ts'
export { toUnrecordedFacts, type UnrecordedCall } from './unrecorded-call.ts'
