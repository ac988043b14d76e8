import type { Context, Progress } from '../../cli/context.ts'
import { type ExplainedOutcome, explained } from '../../cli/messages/outcome.ts'
import { renderOutcome } from '../../cli/render/outcome.ts'
import { type Address, isPending, type LockedProject, type Plan } from '../../project/index.ts'
import { createTimer, type Timer } from '../reports/create-timer.ts'

export interface CarriedOut {
  readonly outcomes: readonly ExplainedOutcome[]
  /** Milliseconds; undefined for what was not begun. */
  readonly durationOf: Timer['durationOf']
}

/** Carries a plan out, and tells on stderr what becomes of each resource as it does. */
export async function carryOut(
  plan: Plan,
  project: LockedProject,
  { parallelism = 4 }: { readonly parallelism?: number | undefined },
  { output, signal, clock }: Context,
): Promise<CarriedOut> {
  const total = plan.actions.filter(isPending).length
  const underWay = new Map<Address, () => void>()
  const timer = createTimer(clock)
  const progress: Progress = output.progress('Applying', total)
  const told = () => output.note('ending what is under way; Ctrl-C again ends at once')
  signal.addEventListener('abort', told, { once: true })
  let done = 0
  const show = () => progress.update(done, [...underWay.keys()].join(', '))
  try {
    const outcomes = await project.apply(plan, {
      parallelism,
      onStart(address) {
        underWay.set(address, timer.start(address))
        show()
      },
      onOutcome(outcome) {
        underWay.get(outcome.address)?.()
        underWay.delete(outcome.address)
        done += 1
        // The plan has just said what is blocked, and why.
        if (outcome.status !== 'blocked') output.note(renderOutcome(explained(outcome)))
        show()
      },
    })
    return { outcomes: outcomes.map(explained), durationOf: timer.durationOf }
  } finally {
    signal.removeEventListener('abort', told)
    progress.stop()
  }
}
