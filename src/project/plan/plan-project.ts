import type { Project as ProjectSettings } from '../../interface/project.ts'
import { type Address, kindOfAddress } from '../address.ts'
import { readEntries } from '../faq/entries.ts'
import type { Resource } from '../load/resource.ts'
import { type Recorded, recordedOf, type Section } from '../lockfile/lockfile.ts'
import type { SecretHash } from '../snapshot/secret-hash.ts'
import { type IdOf, type Snapshot, snapshotOf } from '../snapshot/snapshot.ts'
import type { Action, Plan } from './actions.ts'
import { knowledgeBaseFingerprint } from './knowledge-base-id.ts'
import { planAssistant } from './plan-assistant.ts'
import { planKnowledgeBase } from './plan-knowledge-base.ts'
import { planOrphans } from './plan-orphans.ts'
import { planTool } from './plan-tool.ts'

export interface PlanInput {
  readonly target: string
  readonly baseUrl: string | undefined
  /** Each behind all that it refers to. */
  readonly resources: readonly Resource[]
  readonly settings: Pick<ProjectSettings, 'assistants' | 'endpoints'>
  readonly section: Section
  /** By the section's salt. */
  readonly hash: SecretHash
  /** Whether another target has recorded an entry of a knowledge base under an id. */
  isElsewhere(key: string): boolean
}

/**
 * What an apply would do: everything that differs between the files and what the lockfile says the target holds. Pure:
 * reads no file, sends nothing.
 */
export function planProject(input: PlanInput): Plan {
  const { target, baseUrl, resources, section } = input
  const ids = new Map<Address, string | undefined>()
  const idOf: IdOf = address => ids.get(address)
  const actions = resources.map(resource => {
    const recorded = recordedOf(section, resource.address)
    const snapshot = snapshotOf(resource.checked, { hash: input.hash, idOf })
    const action = planResource(resource, { recorded, snapshot, idOf }, input)
    ids.set(resource.address, idAfter(resource, action, input.hash))
    return action
  })
  return { target, baseUrl, actions: [...actions, ...planOrphans(section, actions)] }
}

function planResource(
  resource: Resource,
  known: { readonly recorded: Recorded | undefined; readonly snapshot: Snapshot; readonly idOf: IdOf },
  input: PlanInput,
): Action {
  const { settings, isElsewhere, hash } = input
  if (resource.kind === 'kb') {
    const former = known.recorded === undefined ? formerName(resource, input) : undefined
    return planKnowledgeBase(resource, { ...known, former, isElsewhere, hash })
  }
  const plan = resource.kind === 'tool' ? planTool : planAssistant
  return plan(resource, { ...known, settings })
}

/** Under which name the lockfile has the entries of a knowledge base whose file was renamed. */
function formerName({ checked }: Resource, { section, resources }: PlanInput): Address | undefined {
  const keys = new Set(readEntries(checked.source, checked.body).entries.flatMap(({ key }) => key ?? []))
  const present = new Set(resources.map(({ address }) => address))
  return (Object.keys(section.resources) as Address[]).find(
    address =>
      kindOfAddress(address) === 'kb' &&
      !present.has(address) &&
      Object.keys(section.resources[address]?.entries ?? {}).some(key => keys.has(key)),
  )
}

/** The id that others refer to; undefined where it is known only once this is applied. */
function idAfter(resource: Resource, { action, id }: Action, hash: SecretHash): string | undefined {
  if (resource.kind === 'kb') return knowledgeBaseFingerprint(resource, hash)
  return action === 'create' || action === 'replace' ? undefined : id
}
