import type { ProjectDeps } from '../../project/apply/index.ts'
import type { Settings } from '../../service/profile/index.ts'

/** Dependencies of building and placing a call. */
export interface CallDeps extends Omit<ProjectDeps, 'settings'> {
  settings(): Promise<Settings>
}

/** A problem that does not prevent a call. */
export interface Warning {
  readonly message: string
  readonly hint?: string | undefined
}
