import type { Settings } from '../profile/index.ts'
import type { ProjectDeps } from '../project/index.ts'

/** Dependencies of building and placing a call. */
export interface CallDeps extends Omit<ProjectDeps, 'settings'> {
  settings(): Promise<Settings>
}

/** A problem that does not prevent a call. */
export interface Warning {
  readonly message: string
  readonly hint?: string | undefined
}
