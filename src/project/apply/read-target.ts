import { kindOfAddress } from '../../files/formats/address.ts'
import type { Project as ProjectSettings } from '../../files/formats/project.ts'
import { type CheckedFile, checkFile, type FileRules } from '../../files/source/index.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import type { CallyardError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { type Api, isSandboxTeam, parseBaseUrl, sandboxTeam } from '../../service/api/index.ts'
import {
  type Lockfile,
  type LockfilePart,
  lockfileLocation,
  type ProjectTarget,
  readLockfile,
  selectSection,
} from '../lockfile/index.ts'
import type { FindResource, ResourceFile } from '../resources/index.ts'

/** Dependencies of a project on the process and its user. */
export interface ProjectDeps {
  readonly clock: Clock
  readonly cwd: string
  readonly env: Environment
  readonly files: FileRules
  readonly signal: AbortSignal
  /** For commands that send requests and end; see lib/process/skip-optimizer.ts. */
  skipOptimizer?(): Promise<void>
  /** Returns the destination of requests, and the current project. */
  settings(): Promise<{
    readonly project?: { readonly file: string; readonly settings: ProjectSettings } | undefined
    readonly profile: { readonly value: string | undefined }
    readonly baseUrl: { readonly value: string | undefined }
    readonly vocabulary: { readonly value: Vocabulary }
    readonly unknownProfile?: CallyardError | undefined
  }>
  api(options?: { readonly batch?: boolean }): Api
  /** A file that is sent: what it has of the environment is a secret from here on. */
  willSend(file: CheckedFile): void
}

export interface TargetOptions {
  /** The section of the lockfile; the profile's name by default. */
  readonly target?: string | undefined
  /** A second target at a base URL that the lockfile knows. */
  readonly newTarget?: boolean | undefined
  /** Everything is sent again, so the lockfile may be an older version. */
  readonly resend?: boolean | undefined
}

/** Returns the target of a project: the given name, or that of the profile. Needs no connection. */
export async function chosenTarget(
  { target, newTarget = false }: TargetOptions,
  { settings }: ProjectDeps,
): Promise<ProjectTarget> {
  const { profile, baseUrl, unknownProfile } = await settings()
  if (unknownProfile !== undefined) throw unknownProfile
  return {
    name: target ?? profile.value ?? 'default',
    baseUrl: baseUrl.value === undefined ? undefined : parseBaseUrl(baseUrl.value).href,
    isNew: newTarget,
  }
}

/**
 * Reads the target of a command and its section of the lockfile. If it was a sandbox, asks the running sandbox whether it is the same
 * one. To look up ids, the entries of knowledge bases are not read.
 * @throws CallyardError `conflict` for a lockfile that cannot be used, and those of selectSection
 */
export async function readTarget(
  folder: string,
  options: TargetOptions,
  deps: ProjectDeps,
  part: LockfilePart = 'ids',
) {
  const { path, name } = lockfileLocation(folder, deps)
  const read = await readLockfile(path, name, part)
  const { lockfile } = read
  const target = await targetIn(lockfile, options, deps)
  const section = selectSection(lockfile, { ...target, teamId: await teamAt(target, lockfile, deps) })
  return { ...read, path, name, target, section }
}

/** Returns the only target of the lockfile if no target is specified, since a sandbox may have ended. */
async function targetIn(
  { targets }: Lockfile,
  options: TargetOptions,
  deps: ProjectDeps,
): Promise<ProjectTarget> {
  const target = await chosenTarget(options, deps)
  const { profile, baseUrl } = await deps.settings()
  const isSaid = [options.target, profile.value, baseUrl.value].some(setting => setting !== undefined)
  const [only, ...others] = Object.keys(targets)
  return isSaid || only === undefined || others.length > 0 ? target : { ...target, name: only }
}

/** Returns the team of the running sandbox if the lockfile has one at the same address. */
async function teamAt(
  { name, baseUrl }: ProjectTarget,
  { targets }: Lockfile,
  deps: ProjectDeps,
): Promise<string | undefined> {
  const targetSection = Object.hasOwn(targets, name) ? targets[name] : undefined
  if (baseUrl === undefined || targetSection?.teamId === undefined || targetSection.baseUrl !== baseUrl)
    return undefined
  return isSandboxTeam(targetSection.teamId) ? sandboxTeam(baseUrl, deps) : undefined
}

/**
 * Resolves files of a project to ids at a target, or explains why there is none: from the lockfile, or for a knowledge base from its
 * own file. Reads each lockfile once, on first use.
 */
export function recordedIds(
  options: TargetOptions,
  deps: ProjectDeps,
  checkBase: CheckBase = createBaseChecker(deps).check,
) {
  const targets = new Map<string, ReturnType<typeof readTarget>>()
  return async ({ address, path, folder }: ResourceFile) => {
    if (kindOfAddress(address) === 'kb') return knowledgeBaseId(await checkBase(path), deps)
    const pendingTarget = targets.get(folder) ?? readTarget(folder, options, deps)
    targets.set(folder, pendingTarget)
    const { section, target, name } = await pendingTarget
    const id = section.resources[address]?.id
    return id === undefined
      ? { why: 'not-deployed' as const, lockfile: name, target: target.name, address }
      : { text: id }
  }
}

/** Resolves references such as `${tool:name}` in a file that is sent by itself. */
export function recordedResource(
  options: TargetOptions,
  deps: ProjectDeps,
  checkBase?: CheckBase,
): FindResource {
  const idOf = recordedIds(options, deps, checkBase)
  return async file => {
    const lookup = await idOf(file)
    if (lookup.why === undefined) return lookup
    if (lookup.why === 'no-knowledge-base-id') return { problem: `${lookup.file} has no knowledgeBaseId` }
    const { lockfile, address, target } = lookup
    const problem = `${lockfile} has no ${address} at target ${target}`
    return { problem, hint: 'create it there', details: { target } }
  }
}

export type BaseChecker = ReturnType<typeof createBaseChecker>
type CheckBase = BaseChecker['check']

/** Checks files of knowledge bases; each is read once. */
export function createBaseChecker({ files, settings }: ProjectDeps) {
  const bases = new Map<string, Promise<CheckedFile>>()
  const check = async (path: string) =>
    checkFile(path, 'knowledge-base', { ...files, vocabulary: (await settings()).vocabulary.value })
  return {
    check(path: string): Promise<CheckedFile> {
      const checked = bases.get(path) ?? check(path)
      bases.set(path, checked)
      return checked
    },
    /** True if the file was checked before. */
    isChecked: (path: string): boolean => bases.has(path),
  }
}

/** `isSecret`: the id came from the environment. */
function knowledgeBaseId(checked: CheckedFile, deps: ProjectDeps) {
  const { value, own, fromEnvironment } = checked
  const id = isObject(value) ? value.knowledgeBaseId : undefined
  if (typeof id !== 'string' || id === '') return { why: 'no-knowledge-base-id' as const, file: own.file }
  const isSecret = fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
  if (isSecret) deps.willSend(checked)
  return { text: id, isSecret }
}
