import { isSandboxTeam, sandboxTeam } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import type { Lockfile, Section } from '../../project/lockfile/lockfile.ts'
import { type ProjectTarget, sectionOf } from '../../project/lockfile/target.ts'
import { type ProjectOptions, projectTarget } from './open-project.ts'

export interface OpenSection {
  readonly target: ProjectTarget
  readonly section: Section
}

/**
 * The target that a command is for, and what the lockfile knows of it. Where that was a sandbox, the one that answers on
 * this machine now is asked whether it is the same one.
 * @throws CliError `conflict` of sectionOf
 */
export async function openSection(
  lockfile: Lockfile,
  options: ProjectOptions,
  context: Context,
): Promise<OpenSection> {
  const target = await chosenTarget(lockfile, options, context)
  const known = Object.hasOwn(lockfile.targets, target.name) ? lockfile.targets[target.name] : undefined
  const { baseUrl } = target
  const isSandbox =
    baseUrl !== undefined &&
    known?.teamId !== undefined &&
    known.baseUrl === baseUrl &&
    isSandboxTeam(known.teamId)
  const teamId = isSandbox ? await sandboxTeam(baseUrl, context) : undefined
  return { target, section: sectionOf(lockfile, { ...target, teamId }) }
}

/** Where nothing says which target is meant, and the lockfile has one alone, it is that one: a sandbox may have ended. */
async function chosenTarget(
  { targets }: Lockfile,
  options: ProjectOptions,
  context: Context,
): Promise<ProjectTarget> {
  const target = await projectTarget(options, context)
  const { profile, baseUrl } = await context.settings()
  const said = [options.target, profile.value, baseUrl.value].some(each => each !== undefined)
  const [only, ...others] = Object.keys(targets)
  return said || only === undefined || others.length > 0 ? target : { ...target, name: only }
}
