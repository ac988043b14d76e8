/** Tables: text to rows with positions; words of headings and of consent; values that spreadsheets damage. */
export {
  type ConsentAnswer,
  type ConsentCell,
  forbidsCalls,
  isRefusedStatus,
  readConsent,
  readDoNotCall,
} from './consent.ts'
export { isAboutCalls, isAboutDate, isAboutStatus, mayBeAboutConsent } from './consent-headings.ts'
export { readDayDigits, readDays } from './dates.ts'
export type { HeadingUse } from './heading-words.ts'
export { findColumn, findHeaderRow, foldHeading, isAboutReason, usesOfHeading } from './headings.ts'
export { findLostValue, isShortenedNumber, shortenedNumber } from './spreadsheet-errors.ts'
export type { Extent, RowProblem, Table, TableProblem, TableRow } from './table.ts'

/** Loads the reader of tables, which most commands do not need. */
export const loadTableReader = () => import('./table.ts')
