/** Runs a program of the user for each message of a call (`--exec`), in order within a call. */
export type { ExecEvent, ExecTotals } from './exec.ts'

/** Most tails run no program. */
export const loadExec = () => import('./exec.ts')
