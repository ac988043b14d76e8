import { idText } from '../../interface/fields.ts'
import { CallwrightError } from '../../lib/error.ts'
import { shortIds } from '../../lib/text/find-by-beginning.ts'
import { type Address, isAddress } from '../address.ts'
import { newSalt } from '../snapshot/secret-hash.ts'
import { type Lockfile, lockfileName, type Recorded, type Section } from './lockfile.ts'

/** Where a project is applied to. */
export interface ProjectTarget {
  /** The section of the lockfile. */
  readonly name: string
  /** In its normal form; undefined where none is set, as for a plan on a machine that knows no service. */
  readonly baseUrl: string | undefined
  /** Whether it may be a second one at a base URL that is known already, or another one in the place of one that is gone. */
  readonly isNew: boolean
  /** The team of what answers there, where that can be asked. */
  readonly teamId?: string | undefined
}

/**
 * The section of a target; an empty one for a new target.
 * @throws CliError `conflict` when the lockfile knows the target at another base URL, or the base URL as another target.
 */
export function sectionOf({ targets }: Lockfile, { name, baseUrl, isNew, teamId }: ProjectTarget): Section {
  const section = Object.hasOwn(targets, name) ? known(targets[name]) : undefined
  if (section !== undefined) {
    if (baseUrl === undefined || baseUrl === section.baseUrl) {
      const isOther = teamId !== undefined && section.teamId !== undefined && section.teamId !== teamId
      if (!isOther) return section
      if (isNew) return renewed(section)
      throw otherSandbox(section, name, teamId)
    }
    throw new CallwrightError(
      'conflict',
      `target ${name} is at ${section.baseUrl} in ${lockfileName}, and this is ${baseUrl}; nothing was sent`,
      {
        hint: `choose the profile or base URL of ${name}; or give another service its own name: --target <name>`,
      },
    )
  }
  const twin = Object.entries(targets).find(([, other]) => known(other)?.baseUrl === baseUrl)?.[0]
  if (twin !== undefined && !isNew) {
    throw new CallwrightError(
      'conflict',
      `${lockfileName} knows ${baseUrl} as target ${twin}, and has no target ${name}: applied to it, everything would be created once more; nothing was sent`,
      {
        hint: `give --target ${twin}; or, if all of it is to exist twice: callwright apply --target ${name} --new-target`,
      },
    )
  }
  return { baseUrl: baseUrl ?? '', salt: newSalt(), resources: {} }
}

/** Everything is created once more; that the file has ids of entries which are not of this target is all that is kept. */
function renewed({ baseUrl, resources }: Section): Section {
  const entries = Object.entries(resources).flatMap(([address, recorded]): [Address, Recorded][] => {
    const keys = Object.keys(recorded.entries ?? {})
    const gone = Object.fromEntries(keys.map(key => [key, null]))
    return isAddress(address) && keys.length > 0 ? [[address, { body: {}, entries: gone }]] : []
  })
  return { baseUrl, salt: newSalt(), resources: Object.fromEntries(entries) }
}

function otherSandbox(
  { baseUrl, teamId: known = '' }: Section,
  name: string,
  teamId: string,
): CallwrightError {
  const short = shortIds([known, teamId])
  return new CallwrightError(
    'conflict',
    `another sandbox (${short.get(teamId)}) answers at ${baseUrl} than the one that ${lockfileName} knows as target ${name} (${short.get(known)}); nothing was sent`,
    {
      hint: `callwright apply --target ${name} --new-target creates everything in this sandbox; or start the other one with its --data`,
      details: { otherSandbox: teamId },
    },
  )
}

/** A target of which nothing is recorded is none: a first apply may have had the wrong address, and sent nothing. */
function known(section: Section | undefined): Section | undefined {
  const empty = section?.teamId === undefined && Object.values(section?.resources ?? {}).every(isNothing)
  return empty ? undefined : section
}

function isNothing({ id, creating, entries, pending }: Recorded): boolean {
  return [id, creating, entries, pending].every(each => each === undefined)
}

/** @throws CliError `conflict` when an answer comes from another team than the one that the lockfile names. */
export function checkTeam({ teamId }: Section, answered: unknown, target: string, what: string): void {
  const answeredTeam = idText().safeParse(answered).data
  if (teamId === undefined || answeredTeam === undefined || answeredTeam === teamId) return
  throw new CallwrightError(
    'conflict',
    `the API key belongs to team ${answeredTeam}, and target ${target} is team ${teamId} in ${lockfileName}; ${what}`,
    {
      hint: `use a key of team ${teamId}, or give the other account its own name: --target <name>`,
      details: { otherTeam: answeredTeam },
    },
  )
}
