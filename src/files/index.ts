export { foldHeading, usesOfHeading } from './headings.ts'
export type { Position } from './position.ts'
export type { Extent, RowProblem, TableProblem, TableRow } from './table.ts'

/** Loads the reader of tables, which most commands do not need. */
export const loadTableReader = () => import('./table.ts')
