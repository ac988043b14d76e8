import { entriesAt, readEntries } from '../faq/entries.ts'
import type { LoadedProject } from '../load/load-project.ts'
import { elsewhere, ledgerView } from '../lockfile/kb-ledger.ts'
import { type Lockfile, recordedOf, type Section } from '../lockfile/lockfile.ts'
import { assertSettled } from '../lockfile/reconciled.ts'
import type { ProjectTarget } from '../lockfile/target.ts'
import { type SecretHash, secretHash } from '../snapshot/secret-hash.ts'
import type { Plan } from './actions.ts'
import { idsOf } from './ids.ts'
import { hashedBody } from './plan-knowledge-base.ts'
import { planProject } from './plan-project.ts'

/** What plan and apply both know of a target: what it holds, and how its hashes are made. */
export interface TargetState {
  readonly section: Section
  /** By the section's salt. */
  readonly hash: SecretHash
  /** Whether another target has recorded an entry under an id. */
  isElsewhere(key: string): boolean
}

export function stateOf(lockfile: Lockfile, section: Section, target: string): TargetState {
  return {
    section,
    hash: secretHash(section.salt),
    isElsewhere: elsewhere(lockfile, target),
  }
}

/**
 * The plan of a project for a target. Reads nothing, sends nothing.
 * @throws CliError `conflict` while it is not known what an earlier apply left at the target.
 */
export function makePlan(
  project: LoadedProject,
  { name, baseUrl }: ProjectTarget,
  state: TargetState,
  { alone }: { readonly alone?: boolean } = {},
): Plan {
  const { resources, settings } = project
  const { section, hash, isElsewhere } = state
  const byAddress = new Map(resources.map(resource => [resource.address, resource]))
  const { fingerprintOf } = idsOf(byAddress, hash, address => recordedOf(section, address))
  assertSettled(section, {
    target: name,
    alone,
    fileOf: address => byAddress.get(address)?.checked.source.file,
    entriesOf(address) {
      const checked = byAddress.get(address)?.checked
      if (checked === undefined) return []
      const hashed = hashedBody(checked, hash, fingerprintOf)
      const { entries } = readEntries(checked.source, checked.body, { hashed })
      // An id in the file may be another target's: it says nothing of this one.
      return entriesAt(entries, ledgerView(recordedOf(section, address), isElsewhere))
    },
  })
  return planProject({ target: name, baseUrl, resources, settings, ...state })
}
