import type { Address } from '../../../src/files/formats/address.ts'
import { secretHash } from '../../../src/lib/secret-hash.ts'
import { readEntries } from '../../../src/project/faq/index.ts'
import { type ResourceState, type Section, TargetState } from '../../../src/project/lockfile/index.ts'
import { type Action, makePlan, type Plan, withoutEntries } from '../../../src/project/plan/index.ts'
import { collectIds, renderResource } from '../../../src/project/rendering/index.ts'
import type { LoadedProject } from '../../../src/project/resources/index.ts'

const baseUrl = 'https://calls.example.com/'
const salt = 'salt'

/** The lockfile after a complete apply of a project: a tool or an assistant has the id `id of <address>`. */
export function appliedSection(project: LoadedProject): Section {
  const hash = secretHash(salt)
  const ids = collectIds(project.resources, hash, address => ({ id: `id of ${address}` }))
  const recorded = project.resources.map(({ address, kind, checked }): [Address, ResourceState] => {
    const rendering = renderResource(checked, ids)
    const snapshot = rendering.fingerprint()
    if (kind !== 'kb') return [address, { id: `id of ${address}`, ...snapshot }]
    const entries = readEntries(checked.source, checked.body, rendering)
    const pushed = entries.flatMap(({ key, hashes }) =>
      key === undefined ? [] : [[key, hashes.content] as const],
    )
    return [address, { ...withoutEntries(snapshot), entries: Object.fromEntries(pushed) }]
  })
  return { baseUrl, salt, resources: Object.fromEntries(recorded) }
}

/** A section in which nothing is recorded. */
export const nothingApplied: Section = { baseUrl, salt, resources: {} }

/** The plan for a target of which a lockfile says this, and others that. */
export function planOf(
  project: LoadedProject,
  section: Section,
  others: Record<string, Section> = {},
  rules: Parameters<typeof makePlan>[3] = {},
): Plan {
  const lockfile = { targets: { ...others, test: section } }
  return makePlan(
    project,
    { name: 'test', baseUrl, isNew: false },
    new TargetState(lockfile, 'test', section),
    rules,
  )
}

export function actionAt({ actions }: Plan, address: Address): Action {
  const action = actions.find(candidate => candidate.address === address)
  if (action === undefined) throw new Error(`nothing is planned for ${address}`)
  return action
}

/** Address → what is to be done. */
export function outline({ actions }: Plan): Record<string, Action['action']> {
  return Object.fromEntries(actions.map(({ address, action }) => [address, action]))
}

/** A section with one of its resources changed. */
export function withRecorded(
  section: Section,
  address: Address,
  edit: (recorded: ResourceState) => ResourceState | undefined,
): Section {
  const { [address]: before, ...others } = section.resources
  const after = edit(before ?? { body: {} })
  return { ...section, resources: after === undefined ? others : { ...others, [address]: after } }
}
