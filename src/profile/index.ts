export { type Agreement, readAgreement, saveAgreement } from './agreements.ts'
export { configFile, forwardFolder, sandboxJournal } from './config-folder.ts'
export { type RunProfile, saveRunProfile } from './run-profile.ts'

import type { ResolvedSettings, SettingSources } from './settings.ts'

export { requireConnection } from './connection.ts'
export type { ProfileErrors, SettingOrigin } from './errors.ts'
export type { ResolvedSettings, Settings } from './settings.ts'
export {
  checkName,
  type Profile,
  readProfiles,
  type Saved,
} from './store.ts'

/** Settings are loaded when they are first asked for: many commands need none. See settings.ts. */
export async function resolveSettings(sources: SettingSources): Promise<ResolvedSettings> {
  const settings = await import('./settings.ts')
  return settings.readSettings(sources)
}

/** For a module that is loaded at each start. */
export const loadStore = () => import('./store.ts')
