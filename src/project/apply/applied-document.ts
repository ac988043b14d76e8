import type { NotStored } from '../../service/api/index.ts'
import type { Plan } from '../plan/index.ts'
import type { OpenProject } from './open-project.ts'
import type { AppliedDocument, OutcomeDocument } from './outcome-schema.ts'

export function appliedDocument(
  { target, baseUrl, actions }: Plan,
  outcomes: readonly OutcomeDocument[],
  { recorded }: OpenProject,
  notStored: readonly NotStored[],
): AppliedDocument {
  const having = (status: OutcomeDocument['status']) => outcomes.filter(outcome => outcome.status === status)
  const named = (action: 'unchanged' | 'orphaned') =>
    actions.flatMap(item => (item.action === action ? [item.address] : []))
  const ids = actions.flatMap(({ address }) => {
    const id = recorded(address)?.id
    return id === undefined ? [] : [[address, id] as const]
  })
  return {
    target,
    baseUrl,
    ids: Object.fromEntries(ids),
    done: having('done'),
    failed: having('failed'),
    skipped: having('skipped'),
    blocked: having('blocked'),
    unchanged: named('unchanged'),
    orphaned: named('orphaned'),
    ...(notStored.length > 0 && { notStored }),
  }
}
