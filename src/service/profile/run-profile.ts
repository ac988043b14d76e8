import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Environment } from '../../lib/environment.ts'
import { isRunning, thisProcess } from '../../lib/fs/lock-owner.ts'
import { changeProfiles } from './conf.ts'
import { checkName, getProfile, hasCurrent } from './store.ts'
import { type Profile, type ProfileStore, profileSchema } from './store-schema.ts'

/** The process that a profile lasts as long as, and what it found: kept inside the profile, so that a kill loses nothing. */
const runSchema = z.object({
  pid: z.int(),
  host: z.string(),
  scope: z.optional(z.string()),
  start: z.optional(z.string()),
  token: z.string(),
  /** The profile that had the name. */
  before: z.optional(profileSchema),
  /** Set if the run selected its profile: the previously selected name, null if there was none. */
  selected: z.optional(z.nullable(z.string())),
})
type Run = z.infer<typeof runSchema>

/**
 * Saves a profile for the lifetime of this process, such as a sandbox's, and selects it if none is selected. Restores profiles of killed
 * runs first. Keeps a profile for which `shouldKeep` returns true, and saves nothing.
 */
export async function saveRunProfile(
  env: Environment,
  name: string,
  profile: Profile,
  { shouldKeep }: { readonly shouldKeep: (before: Profile) => boolean },
) {
  checkName(name)
  const token = randomUUID()
  const saved = await changeProfiles(env, store => {
    restoreKilled(store, name)
    const before = getProfile(store.profiles, name)
    if (before !== undefined && shouldKeep(before)) return { before, kept: true }
    const inUse = hasCurrent(store)
    const selected = inUse ? undefined : (store.current ?? null)
    const run: Run = { ...thisProcess(), token, before, selected }
    if (!inUse) store.current = name
    store.profiles[name] = { ...profile, run }
    return { before }
  })
  return {
    ...saved,
    /** Leaves the name as it was found; what another run or a person has put there since stays. */
    async restore() {
      await changeProfiles(env, store => {
        restoreFrom(store, name, token)
        return {}
      })
    },
  }
}

function runOf(profile: Profile | undefined): Run | undefined {
  return runSchema.safeParse(profile?.run).data
}

/** A sandbox that was killed could restore nothing itself. */
function restoreKilled(store: ProfileStore, name: string): void {
  const run = runOf(getProfile(store.profiles, name))
  if (run === undefined || isRunning(run) !== false) return
  restoreFrom(store, name, run.token)
  restoreKilled(store, name)
}

function restoreFrom(store: ProfileStore, name: string, token: string): void {
  const storedProfile = getProfile(store.profiles, name)
  if (storedProfile === undefined) return
  const { profile, selected } = withoutRun(storedProfile, token)
  if (profile === undefined) delete store.profiles[name]
  else store.profiles[name] = profile
  if (selected === undefined || store.current !== name) return
  if (selected === null) delete store.current
  else store.current = selected
}

/** A profile as it would be without one run: a later one that has the name now will restore what that one had found. */
function withoutRun(
  profile: Profile,
  token: string,
): { readonly profile: Profile | undefined; readonly selected?: Run['selected'] } {
  const run = runOf(profile)
  if (run === undefined) return { profile }
  const { before, ...rest } = run
  if (run.token === token) return { profile: before, selected: run.selected }
  if (before === undefined) return { profile }
  const inner = withoutRun(before, token)
  const selected = run.selected === undefined ? inner.selected : run.selected
  return { profile: { ...profile, run: { ...rest, before: inner.profile, selected } } }
}
