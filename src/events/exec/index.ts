/** A program of the user for each message of a call, with JSON on stdin (`webhook tail --exec`): in order within a call, several calls at once. */
export type { ExecErrors } from './errors.ts'
export type { ExecEvent, ExecTotals } from './exec.ts'

/** Most tails run no program. */
export const loadExec = () => import('./exec.ts')
