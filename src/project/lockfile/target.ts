import { idText } from '../../interface/fields.ts'
import type { CallwrightError } from '../../lib/error.ts'
import { shortIds } from '../../lib/text/find-by-beginning.ts'
import { type Address, isAddress } from '../address.ts'
import { projectError } from '../errors.ts'
import { newSalt } from '../snapshot/snapshot.ts'
import type { Lockfile, Recorded, Section } from './lockfile.ts'

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
 * @throws CallwrightError `conflict` when the lockfile knows the target at another base URL, or the base URL as another target.
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
    throw projectError('conflict', 'target-elsewhere', { target: name, recorded: section.baseUrl, baseUrl })
  }
  const twin = Object.entries(targets).find(([, other]) => known(other)?.baseUrl === baseUrl)?.[0]
  if (twin !== undefined && !isNew)
    throw projectError('conflict', 'target-twice', { target: name, recorded: twin, baseUrl: baseUrl ?? '' })
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

function otherSandbox({ baseUrl, teamId = '' }: Section, target: string, found: string): CallwrightError {
  const short = shortIds([teamId, found])
  return projectError('conflict', 'other-sandbox', {
    target,
    baseUrl,
    recorded: short.get(teamId) ?? teamId,
    found: short.get(found) ?? found,
    otherSandbox: found,
  })
}

/** A target of which nothing is recorded is none: a first apply may have had the wrong address, and sent nothing. */
function known(section: Section | undefined): Section | undefined {
  const empty = section?.teamId === undefined && Object.values(section?.resources ?? {}).every(isNothing)
  return empty ? undefined : section
}

function isNothing({ id, creating, entries, pending }: Recorded): boolean {
  return [id, creating, entries, pending].every(each => each === undefined)
}

/** What was done when an answer came. */
interface Answered {
  readonly target: string
  readonly address: Address
  /** The id that was given to what was created; undefined for an update. */
  readonly created?: string | undefined
}

/** @throws CallwrightError `conflict` when an answer comes from another team than the one that the lockfile names. */
export function checkTeam({ teamId }: Section, answered: unknown, what: Answered): void {
  const otherTeam = idText().safeParse(answered).data
  if (teamId === undefined || otherTeam === undefined || otherTeam === teamId) return
  throw projectError('conflict', 'other-team', { ...what, recorded: teamId, otherTeam })
}
