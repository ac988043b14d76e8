import type { Context } from '../../cli/context.ts'
import type { FileLock } from '../../lib/fs/file-lock.ts'
import { requireConnection } from '../../profile/index.ts'
import type { ApplyJob } from '../../project/apply/job.ts'
import type { LoadedProject } from '../../project/load/load-project.ts'
import { type LockStore, openLockStore } from '../../project/lockfile/lock-store.ts'
import { type Lockfile, readLockfile } from '../../project/lockfile/lockfile.ts'
import { lockProject as takeProjectLock } from '../../project/lockfile/project-lock.ts'
import type { ProjectTarget } from '../../project/lockfile/target.ts'
import { idsOf } from '../../project/plan/ids.ts'
import { stateOf, type TargetState } from '../../project/plan/plan-project.ts'
import { lockfilePlace, type ProjectOptions, projectTarget } from './open-project.ts'
import { openSection } from './open-section.ts'

/** A project that this process alone works on, and what the lockfile says of its target. */
export interface LockedProject {
  readonly target: ProjectTarget
  readonly lock: FileLock
  readonly store: LockStore
  readonly lockfile: Lockfile
  /** Of the target as the store has it now. */
  state(): TargetState
}

/**
 * Takes the project's lock and reads the lockfile. The caller releases the lock.
 * @throws CliError `usage` without a base URL, `conflict` when another run holds it or the target is another one.
 */
export async function lockProject(
  folder: string,
  options: ProjectOptions,
  context: Context,
): Promise<LockedProject> {
  const settings = await context.settings()
  if ((await projectTarget(options, context)).baseUrl === undefined) requireConnection(settings)
  const lock = await takeProjectLock(folder, context.clock)
  try {
    const { path, name } = lockfilePlace(folder, context)
    const { lockfile, text } = await readLockfile(path, name)
    const { target, section } = await openSection(lockfile, options, context)
    const store = openLockStore({
      path,
      name,
      lockfile,
      text,
      target: target.name,
      section,
      machine: context,
    })
    return { target, lock, store, lockfile, state: () => stateOf(lockfile, store.section, target.name) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** All that is needed to carry a plan out. */
export async function jobOf(
  held: LockedProject,
  project: LoadedProject,
  context: Context,
): Promise<ApplyJob> {
  const { target, store, lock } = held
  const settings = await context.settings()
  const resources = new Map(project.resources.map(resource => [resource.address, resource]))
  const state = held.state()
  return {
    target: target.name,
    baseUrl: target.baseUrl ?? '',
    settings: project.settings,
    vocabulary: settings.vocabulary.value,
    resources,
    store,
    ...idsOf(resources, state.hash, store.recorded),
    ...state,
    api: context.api({ batch: true }),
    signal: context.signal,
    assertAlone: lock.assertHeld,
  }
}
