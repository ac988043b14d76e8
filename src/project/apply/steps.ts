import { idText } from '../../interface/fields.ts'
import { CallwrightError, reasonOf } from '../../lib/error.ts'
import type { Address } from '../address.ts'
import type { Recorded } from '../lockfile/lockfile.ts'
import { checkTeam } from '../lockfile/target.ts'
import type { Answer, ApplyJob } from './job.ts'

/**
 * Writes down what is about to be sent, and looks once more whether this run is the only one. What it returns takes that
 * back, for a request that is known to have done nothing; should the disk fail then, the next run asks about it.
 */
export async function announce(
  { store, assertAlone }: ApplyJob,
  address: Address,
  recorded: Recorded,
): Promise<() => Promise<void>> {
  const before = store.recorded(address)
  const takeBack = () => store.record(address, () => before).catch(() => {})
  await store.intend(address, () => recorded)
  await assertAlone().catch(async error => {
    await takeBack()
    throw error
  })
  return takeBack
}

/** Compares the team of an answer with that of the lockfile. `created` is the id of what was created. */
export function assertTeam(
  { store, target }: ApplyJob,
  answer: Answer,
  what: { readonly address: Address; readonly created?: string },
): void {
  checkTeam(store.section, answer.teamId, { target, ...what })
}

/** Writes down what the service has now. @throws CliError `conflict` that says what was done, and how to go on. */
export async function recordAnswer(
  { store }: ApplyJob,
  address: Address,
  { answer, recorded, what, next }: { answer: Answer; recorded: Recorded; what: string; next: string },
): Promise<void> {
  const teamId = idText().safeParse(answer.teamId).data
  const team = teamId === undefined ? {} : { teamId }
  await store
    .change(section => ({
      ...section,
      ...(section.teamId === undefined ? team : {}),
      resources: { ...section.resources, [address]: recorded },
    }))
    .catch(error => {
      const reason = reasonOf(error)
      throw new CallwrightError('conflict', `${what}, which could not be written down: ${reason}`, {
        hint: `when that is solved: ${next}`,
        cause: error,
      })
    })
}
