import { join } from 'node:path'
import { parseBaseUrl } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import { formatFinding } from '../../cli/render/diagnostics.ts'
import { CallwrightError } from '../../lib/error.ts'
import type { Settings } from '../../profile/index.ts'
import { type CheckOptions, type LoadedProject, loadProject } from '../../project/load/load-project.ts'
import { lockfileName } from '../../project/lockfile/lockfile.ts'
import type { ProjectTarget } from '../../project/lockfile/target.ts'
import { displayName } from '../../source/index.ts'

export interface ProjectOptions {
  /** The section of the lockfile; the profile's name unless given. */
  readonly target?: string | undefined
  /** A second target at a base URL that the lockfile knows. */
  readonly newTarget?: boolean | undefined
  /** Unknown keys are sent as they are. */
  readonly allowUnknown?: boolean | undefined
}

/** The lockfile of a project: where it is, and how people see it. */
export interface LockfilePlace {
  /** Absolute. */
  readonly path: string
  readonly name: string
}

/** The callwright.yaml of the project that a command stands in. @throws CliError `usage` when it stands in none. */
export async function projectFile(context: Context): Promise<NonNullable<Settings['project']>> {
  const { project } = await context.settings()
  if (project !== undefined) return project
  throw new CallwrightError('usage', 'there is no callwright.yaml in this folder or above it', {
    hint: 'callwright init makes a project here; or change into one',
  })
}

/** Where a project goes, by --target, else the profile's name. Needs no connection. */
export async function projectTarget(
  { target, newTarget = false }: ProjectOptions,
  context: Context,
): Promise<ProjectTarget> {
  const { profile, baseUrl, unknownProfile } = await context.settings()
  if (unknownProfile !== undefined) throw unknownProfile
  return {
    name: target ?? profile.value ?? 'default',
    baseUrl: baseUrl.value === undefined ? undefined : parseBaseUrl(baseUrl.value).href,
    isNew: newTarget,
  }
}

/** The name of the target for a report, which has one even where that name is the error. */
export async function targetName(target: string | undefined, context: Context): Promise<string> {
  return projectTarget({ target }, context).then(
    ({ name }) => name,
    () => target ?? context.options.profile ?? 'default',
  )
}

/** Reads and checks the whole project. Warnings go to stderr. @throws InvalidInput with the findings of all files. */
export async function openProject(
  { allowUnknown, onCheck }: Pick<CheckOptions, 'allowUnknown' | 'onCheck'>,
  context: Context,
): Promise<LoadedProject> {
  const { files, output } = context
  const { file, settings } = await projectFile(context)
  const vocabulary = (await context.settings()).vocabulary.value
  const project = await loadProject({ file, settings, ...files, vocabulary, allowUnknown, onCheck })
  for (const { checked } of project.resources) context.willSend(checked)
  for (const warning of project.warnings) output.warn(formatFinding(warning), warning.hint)
  output.annotate(project.warnings)
  return project
}

/** The apply that goes to the same target, for a hint. */
export function applyCommand({ target }: Pick<ProjectOptions, 'target'>): string {
  return target === undefined ? 'callwright apply' : `callwright apply --target ${target}`
}

export function lockfilePlace(folder: string, { cwd }: Pick<Context, 'cwd'>): LockfilePlace {
  const path = join(folder, lockfileName)
  return { path, name: displayName(path, cwd) }
}
