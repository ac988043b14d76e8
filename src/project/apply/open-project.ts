import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Address } from '../../files/formats/address.ts'
import type { Project as ProjectSettings } from '../../files/formats/project.ts'
import { type Diagnostic, projectFileName, templateVariables } from '../../files/source/index.ts'
import { valueError } from '../../interface/finding.ts'
import { CallyardError } from '../../lib/error.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import { removeLeftover } from '../../lib/fs/replace-file.ts'
import { hashContent } from '../../lib/hash.ts'
import { count } from '../../lib/text/count.ts'
import { isSandboxTeam } from '../../service/api/index.ts'
import { readEntries } from '../faq/index.ts'
import {
  journalPath,
  type LockStore,
  lockfileLocation,
  readVersions as readLockVersions,
  replayJournal,
  TargetState,
  takeProjectLock,
} from '../lockfile/index.ts'
import {
  assertFresh,
  makePlan,
  type Plan,
  type PlanDocument,
  readVersions,
  type SavedPlan,
  toSavedPlan,
} from '../plan/index.ts'
import { collectIds } from '../rendering/index.ts'
import { type CheckOptions, type LoadedProject, loadProjectFiles } from '../resources/index.ts'
import { assertNotCreated, openHistory, rememberApplies } from './apply-history.ts'
import { type ApplyEvents, applyPlan } from './apply-plan.ts'
import { type LockedTarget, lockTarget, type OpenTarget, openTarget } from './open-target.ts'
import { applyOverrides, type LockfileOverrides, type OverrideResult } from './overrides.ts'
import { hashBasis, hasPlan, type PlanKey, readUpToDate, rememberUpToDate } from './plan-cache.ts'
import type { ProjectDeps, TargetOptions } from './read-target.ts'
import type { ApplyJob, JobResources } from './send-resource.ts'

interface OpenOptions extends TargetOptions, CheckOptions {
  /** Version of callyard: a different one may interpret the same files differently. */
  readonly version?: string
}

/** Returns the callyard.yaml of the current project. @throws CallyardError `usage` outside a project. */
export async function projectFile({
  settings,
}: ProjectDeps): Promise<{ readonly file: string; readonly settings: ProjectSettings }> {
  const { project } = await settings()
  if (project === undefined)
    throw new CallyardError('usage', `no ${projectFileName} in this folder or a parent folder`, {
      ...{ code: 'no-project', hint: 'change into a project folder, or create one' },
    })
  return project
}

/**
 * Opens the current project for reading.
 * @throws InvalidInput with the findings of all files, CallyardError `conflict` for a lockfile of another target
 */
export async function openProject(options: OpenOptions, deps: ProjectDeps) {
  const { file } = await projectFile(deps)
  const project = await load(options, deps)
  const target = await openTarget(dirname(file), options, deps, { witnesses: 'machine and git' })
  const { text, journal, section, witnessed } = target
  const openedProject = toOpenedProject(project, target, { alone: false, resend: options.resend })
  return {
    ...openedProject,
    /** Lets the next plan know that nothing is to be done: see knownUpToDate. */
    async remember(plan: Plan) {
      // The identity of the sandbox is requested each time.
      const isAsked = section.teamId !== undefined && isSandboxTeam(section.teamId)
      if (isAsked || journal !== undefined) return
      const key = await planKey(project.folder, options, { text, witnessed }, deps)
      await rememberUpToDate(key, { ...openedProject, plan })
    },
  }
}

/**
 * Returns the plan of a project that was up to date at its last plan and is unchanged, without parsing its files. Undefined if anything
 * may differ: then open it. Never throws because of the project's content.
 */
export async function knownUpToDate(options: OpenOptions, deps: ProjectDeps) {
  const { file } = await projectFile(deps)
  const folder = dirname(file)
  const { path } = lockfileLocation(folder, deps)
  const { unknownProfile } = await deps.settings()
  if (unknownProfile !== undefined || existsSync(journalPath(path))) return undefined
  if (!hasPlan(folder)) return undefined
  const text = await readFile(path).then(String, () => undefined)
  const lockfile = { text: text ?? '', own: readLockVersions(text ?? '') }
  const { inputs: witnessed } = await openHistory(folder, lockfile, 'machine and git', deps)
  return readUpToDate(await planKey(folder, options, { text, witnessed }, deps))
}

/**
 * Writes the journal of a killed run into the lockfile if no run is active, and sends nothing; returns true if it did. The lockfile then
 * contains every id and can be committed.
 * @throws CallyardError `conflict` if the lockfile was changed since, `usage` if it cannot be written
 */
export async function settleKilledRun(deps: ProjectDeps): Promise<boolean> {
  const { file } = await projectFile(deps)
  const { path, name } = lockfileLocation(dirname(file), deps)
  if (!existsSync(journalPath(path))) return false
  const lock = await takeProjectLock(dirname(file), deps.clock).catch(error => {
    // A run that is at work writes the lockfile itself.
    if (error instanceof CallyardError && error.code === 'project-locked') return undefined
    throw error
  })
  if (lock === undefined) return false
  return replayJournal(path, name, rememberApplies(dirname(path), deps)).finally(lock.release)
}

async function planKey(
  folder: string,
  { version, target, newTarget, allowUnknown }: OpenOptions,
  lockfile: { readonly text: string | undefined; readonly witnessed: string },
  deps: ProjectDeps,
): Promise<PlanKey> {
  const { project, profile, baseUrl, vocabulary } = await deps.settings()
  const basis = hashBasis([
    // In a bundle the name of this chunk has the hash of all its code: another build of the same version may plan otherwise.
    [version, import.meta.url, deps.cwd, deps.files.allowOutsideFiles, target, newTarget, allowUnknown],
    [project?.settings, profile.value, baseUrl.value, vocabulary.value],
    [lockfile.text === undefined ? null : hashContent(lockfile.text), lockfile.witnessed],
  ])
  return { folder, cwd: deps.cwd, env: templateVariables(deps.files), basis }
}

/**
 * Opens it to apply it, with its lock: this process alone works on it until it is closed.
 * @throws the same, and CallyardError `conflict` when another run has the lock
 */
export async function lockProject(options: OpenOptions, deps: ProjectDeps) {
  const { file } = await projectFile(deps)
  const locked = await lockTarget(dirname(file), options, deps)
  try {
    const project = await load(options, deps)
    for (const { kind, path } of project.resources) if (kind === 'kb') await removeLeftover(path)
    return {
      ...toOpenedProject(project, locked, { alone: true, resend: options.resend }),
      /** Saves the changes of overrides. */
      async settle({ overridden, section }: OverrideResult) {
        if (overridden.length > 0) await locked.store.change(section)
      },
      async apply(plan: Plan, events: ApplyEvents) {
        const resources = new Map(project.resources.map(resource => [resource.address, resource]))
        const ids = collectIds(project.resources, locked.store.state.hash, recordedIn(locked.store))
        const { settings } = project
        return applyPlan(plan, await createApplyJob(locked, { resources, settings, ids }, deps), events)
      },
      /** Writes the lockfile, and lets others work on the project. @throws CallyardError when it cannot be written */
      close: locked.close,
    }
  } catch (error) {
    await locked.close().catch(() => {})
    throw error
  }
}

export type LockedProject = Awaited<ReturnType<typeof lockProject>>

async function load({ allowUnknown, onCheck }: OpenOptions, deps: ProjectDeps): Promise<LoadedProject> {
  const { file, settings } = await projectFile(deps)
  const vocabulary = (await deps.settings()).vocabulary.value
  const { loadProject } = await loadProjectFiles()
  const project = await loadProject(file, settings, { ...deps.files, vocabulary, allowUnknown, onCheck })
  for (const { checked } of project.resources) deps.willSend(checked)
  return project
}

/** A project whose files passed their check, and the target that it is planned for. */
export type OpenProject = ReturnType<typeof toOpenedProject>

function toOpenedProject(
  project: LoadedProject,
  { target, store, lockfile, text, history, name: lockfileName }: OpenTarget,
  { alone, resend = false }: { readonly alone: boolean; readonly resend?: boolean | undefined },
) {
  const { resources } = project
  const at = { lockfile: lockfileName, target: target.name, serial: history.serial }
  const warnings = [...project.warnings, ...(text === undefined ? lostLockfile(project, lockfileName) : [])]
  return {
    resources,
    warnings,
    target,
    /**
     * Applies overrides from the command line to the lockfile's section. Writes nothing.
     * @throws CallyardError `usage` for an override that cannot apply
     */
    override: (overrides: LockfileOverrides) =>
      applyOverrides(
        store.state.section,
        resources,
        { ...overrides, resend },
        {
          hash: store.state.hash,
          canUpdateAssistants: project.settings.endpoints?.updateAssistant !== undefined,
          history,
        },
      ),
    /**
     * Plans an apply from the lockfile or from an overridden section. Reads and sends nothing.
     * @throws CallyardError `conflict` while the outcome of an earlier apply is unknown, or for a resource that another version of the
     * lockfile has
     */
    plan(section = store.state.section) {
      const createsNothing = resend && history.newer !== undefined
      const lockState = new TargetState(lockfile, target.name, section)
      const plan = makePlan(project, target, lockState, { alone, createsNothing })
      for (const { address, action } of plan.actions)
        if (action === 'create') assertNotCreated(address, history.findCreated(address, section), at)
      return plan
    },
    /** Reads the versions of the project between what was last sent and the files. */
    versions: (plan: Plan) => ({ ...readVersions(project, store.state, plan), folder: project.folder }),
    vocabulary: project.vocabulary,
    /** A plan to be kept, with hashes of all that it was made from. */
    toSaved: (plan: PlanDocument) => toSavedPlan({ plan, project, lockfile, resend }),
    /** @throws CallyardError `conflict` when a saved plan is not this one any more; `name` is its file. */
    assertFresh: (saved: SavedPlan, plan: PlanDocument, name: string) =>
      assertFresh(saved, { plan, project, lockfile }, name),
    recorded: recordedIn(store),
  }
}

/**
 * Warns about a missing lockfile if entries have ids, which they get from an apply: the next apply would create everything else
 * again.
 */
function lostLockfile({ resources }: LoadedProject, file: string): Diagnostic[] {
  const created = resources.filter(({ kind }) => kind !== 'kb').length
  const applied = resources.find(
    ({ kind, checked: { source, body } }) =>
      kind === 'kb' && readEntries(source, body).some(({ key }) => key !== undefined),
  )
  if (created === 0 || applied === undefined) return []
  const { file: withIds } = applied.checked.source
  const message = `not found, but entries of ${withIds} have ids: ${count(created, 'resource')} would be created again`
  const hint = 'restore it from version control, or continue if the resources do not exist yet'
  return [{ file, ...valueError([], 'missing-lockfile', message, hint), severity: 'warning' }]
}

function recordedIn(store: LockStore) {
  return (address: Address) => store.state.stateOf(address)
}

/** Returns the shared state for applying resources of a project, except the resources and the ids of references. */
export async function createApplyJob(
  { target, store, lock }: LockedTarget,
  resources: JobResources,
  deps: ProjectDeps,
): Promise<ApplyJob> {
  return {
    ...resources,
    target: target.name,
    baseUrl: target.baseUrl ?? '',
    vocabulary: (await deps.settings()).vocabulary.value,
    store,
    api: deps.api({ batch: true }),
    signal: deps.signal,
    assertAlone: lock.assertHeld,
  }
}
