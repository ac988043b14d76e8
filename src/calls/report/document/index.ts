/** Reports about calls: figures in groups, conditions, and the comparison with another period. */
export { buildReport, type CallsReport } from './build-report.ts'
export type { FigureChange } from './compare.ts'
export { reportDocument, reportDocumentSchema } from './report-document.ts'
