import type { Project as ProjectSettings } from '../../interface/project.ts'
import type { Address } from '../address.ts'
import type { Resource } from '../load/resource.ts'
import type { Recorded, Section } from '../lockfile/lockfile.ts'
import type { SecretHash } from '../snapshot/secret-hash.ts'
import { type IdOf, type Snapshot, snapshotOf } from '../snapshot/snapshot.ts'
import type { Action, Plan } from './actions.ts'
import { knowledgeBaseMark } from './knowledge-base-id.ts'
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
  isElsewhere(address: Address, key: string): boolean
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

export function recordedOf({ resources }: Section, address: Address): Recorded | undefined {
  return Object.hasOwn(resources, address) ? resources[address] : undefined
}

function planResource(
  resource: Resource,
  known: { readonly recorded: Recorded | undefined; readonly snapshot: Snapshot; readonly idOf: IdOf },
  { settings, isElsewhere, hash }: PlanInput,
): Action {
  if (resource.kind === 'kb') {
    const foreign = (key: string) => isElsewhere(resource.address, key)
    return planKnowledgeBase(resource, { ...known, isElsewhere: foreign, hash })
  }
  const plan = resource.kind === 'tool' ? planTool : planAssistant
  return plan(resource, { ...known, settings })
}

/** The id that others refer to; undefined where it is known only once this is applied. */
function idAfter(resource: Resource, { action, id }: Action, hash: SecretHash): string | undefined {
  if (resource.kind === 'kb') return knowledgeBaseMark(resource, hash)
  return action === 'create' || action === 'replace' ? undefined : id
}
