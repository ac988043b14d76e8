import type { Address } from '../../files/formats/address.ts'
import type { Diagnostic } from '../../files/source/index.ts'
import { CallyardError, type ErrorKind } from '../../lib/error.ts'
import type { LockedProject, OutcomeDocument, ResourceOutcome } from '../../project/apply/index.ts'
import { isPending, type Plan } from '../../project/plan/index.ts'
import type { Advice } from '../shell/advice.ts'
import { createTimer, type ReportCase } from '../shell/ci-reports/report.ts'
import { resourceCases, undoneFinding } from '../shell/ci-reports/resource-cases.ts'
import type { Context } from '../shell/context.ts'
import { outcomeDocument } from '../shell/plan-words.ts'
import { type RunTarget, recovery } from '../shell/project-hints.ts'
import { renderOutcome } from '../shell/render/plan.ts'
import { countRetries } from './count-retries.ts'

/** Outcomes of the resources; `durationOf` in milliseconds, undefined for resources that were not started. */
export type ExecutedPlan = Awaited<ReturnType<typeof executePlan>>

/** Carries a plan out, and tells on stderr what becomes of each resource as it does. */
export async function executePlan(
  plan: Plan,
  project: LockedProject,
  { concurrency = 4 }: { readonly concurrency?: number | undefined },
  context: Context,
) {
  const { output, signal, clock } = context
  const at = { target: plan.target, run: context.runFlags }
  const total = plan.actions.filter(isPending).length
  const underWay = new Map<Address, () => void>()
  const timer = createTimer(clock)
  const progress = output.progress('Applying', total)
  const onAbort = () => output.note('finishing requests in progress; press Ctrl-C again to exit immediately')
  signal.addEventListener('abort', onAbort, { once: true })
  let doneCount = 0
  const explained = (outcomes: readonly ResourceOutcome[]) =>
    context.withFindingHints(outcomes.map(outcome => outcomeDocument(outcome, at)))
  const show = () => progress.update(doneCount, retries.waitingText() || [...underWay.keys()].join(', '))
  const retries = countRetries(context, { isShown: () => progress.isShown, show })
  try {
    const outcomes = await project.apply(plan, {
      concurrency,
      onStart(address) {
        underWay.set(address, timer.start(address))
        show()
      },
      onOutcome(outcome) {
        underWay.get(outcome.address)?.()
        underWay.delete(outcome.address)
        doneCount += 1
        // The plan above lists blocked resources with their reasons.
        if (outcome.status !== 'blocked')
          for (const explainedOutcome of explained([outcome])) output.note(renderOutcome(explainedOutcome))
        show()
      },
    })
    return { outcomes: explained(outcomes), durationOf: timer.durationOf }
  } finally {
    signal.removeEventListener('abort', onAbort)
    progress.stop()
    retries.end()
  }
}

/**
 * Returns the error that ends an apply; undefined if everything is done. Exit code 9 if it is unknown what the service has, 8 if some
 * resources are done or blocked, and the code of the failures if nothing could be done.
 */
export function exitError(
  outcomes: readonly OutcomeDocument[],
  at: RunTarget,
  signal: AbortSignal,
): CallyardError | undefined {
  const open = outcomes.filter(({ status }) => status !== 'done')
  const [first] = open
  if (first === undefined) return undefined
  const failed = open.filter(({ status }) => status === 'failed')
  const unknown = failed.filter(outcome => outcome.unknown === true)
  const ended = (kind: ErrorKind, message: string, hint: string | undefined, next?: Advice['next']) =>
    new CallyardError(kind, message, { hint, next, details: { notDone: open.map(({ address }) => address) } })
  const summary =
    open.length === 1
      ? `${first.address} is not applied`
      : `${open.length} of ${outcomes.length} resources are not applied`
  if (unknown.length > 0) {
    const names = unknown.map(({ address }) => address).join(', ')
    // `partial`: the service accepted the request, and its response has no id.
    const isAccepted = unknown.every(({ kind }) => kind === 'partial')
    const outcome = isAccepted
      ? `the service accepted ${names} without returning an id`
      : `whether the service has ${names} is not known`
    const { hint, next } = recovery(unknown, at)
    const message = `${summary}; ${outcome}`
    return isAccepted && unknown.length === 1
      ? ended('conflict', message, unknown[0]?.hint, next)
      : ended('conflict', message, hint, next)
  }
  const hints = new Set(failed.flatMap(({ kind, hint }) => (kind === 'conflict' ? [hint] : [])))
  const [conflictHint, ...otherHints] = hints
  if (hints.size > 0)
    return ended(
      'conflict',
      summary,
      otherHints.length === 0 ? conflictHint : 'follow the hint of each resource',
    )
  if (signal.aborted) return ended('cancelled', `cancelled; ${summary}`, 'run it again to apply the rest')
  if (open.every(({ status }) => status === 'blocked'))
    return ended('partial', summary, 'the plan above lists your options for each resource')
  const nothingDone = open.length === outcomes.length && open.every(({ status }) => status !== 'blocked')
  const [kind = 'partial', ...others] = new Set(failed.map(outcome => outcome.kind))
  return ended(
    nothingDone && others.length === 0 ? kind : 'partial',
    summary,
    'fix this, then run it again to apply the rest',
  )
}

/** Annotates files with what was not done. */
export function annotate(outcomes: readonly OutcomeDocument[], { output }: Context): void {
  output.annotate(
    unapplied(outcomes).map(outcome => {
      const { hint: _, ...finding } = undoneFinding(outcome)
      return { ...finding, message: `${outcome.address} ${outcome.status}: ${finding.message}` }
    }),
  )
}

/** A case for each resource: what was done and what is unchanged passes, what is blocked fails. */
export function casesOfApply(
  { actions }: Plan,
  warnings: readonly Diagnostic[],
  { outcomes, durationOf }: ExecutedPlan,
): ReportCase[] {
  const findings = [...warnings, ...unapplied(outcomes).map(undoneFinding)]
  return resourceCases(actions, findings, durationOf)
}

function unapplied(outcomes: readonly OutcomeDocument[]): OutcomeDocument[] {
  return outcomes.filter(({ status }) => status !== 'done')
}
