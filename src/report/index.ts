/** Figures about calls (docs/reports.md): facts of each call, and metrics. Nothing here prints. */
export type { CallFacts } from './call-facts.ts'
export { computeFigures } from './figures.ts'
export { readFacts } from './read-facts.ts'
