import { type Address, kindOfAddress } from '../address.ts'
import type { Section } from '../lockfile/lockfile.ts'
import type { Action } from './actions.ts'

/** What the lockfile has and no file any more. Nothing is done about it: the interface has no delete. */
export function planOrphans({ resources }: Section, actions: readonly Action[]): Action[] {
  const present = new Set(actions.map(({ address }) => address))
  return (Object.keys(resources) as Address[])
    .filter(address => !present.has(address))
    .sort()
    .map(address => {
      const id = resources[address]?.id
      const heir = onlyOne(
        actions.filter(each => each.action === 'create'),
        address,
      )
      const renamed =
        id === undefined || heir === undefined
          ? []
          : [`if ${heir.address} is its new name: callwright apply --adopt ${heir.address}=${id}`]
      return {
        address,
        action: 'orphaned',
        ...(id === undefined ? {} : { id }),
        changes: [],
        reason: 'no file holds it any more, and the interface has no delete',
        choices: [...renamed, `callwright apply --forget ${address} takes it out of the lockfile`],
        needs: [],
      }
    })
}

/** Of several new files nobody can tell which one is the old one's. */
function onlyOne(created: readonly Action[], address: Address): Action | undefined {
  const heirs = created.filter(each => kindOfAddress(each.address) === kindOfAddress(address))
  return heirs.length === 1 ? heirs[0] : undefined
}
