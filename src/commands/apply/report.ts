import type { Context } from '../../cli/context.ts'
import type { ExplainedOutcome } from '../../cli/messages/outcome.ts'
import type { ReportCase } from '../../cli/reports/report.ts'
import type { OpenProject, Plan } from '../../project/index.ts'
import { resourceCases, undoneFinding } from '../reports/resource-cases.ts'
import type { CarriedOut } from './carry-out.ts'

/** What an apply came to, for `--json`. */
export function toDocument(
  { target, baseUrl, actions }: Plan,
  outcomes: readonly ExplainedOutcome[],
  { recorded }: Pick<OpenProject, 'recorded'>,
): Record<string, unknown> {
  const having = (status: ExplainedOutcome['status']) => outcomes.filter(outcome => outcome.status === status)
  const named = (action: string) => actions.flatMap(each => (each.action === action ? [each.address] : []))
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
  }
}

/** What was not done, at the file that it is about. */
export function annotate(outcomes: readonly ExplainedOutcome[], { output }: Context): void {
  output.annotate(
    undoneIn(outcomes).map(outcome => {
      const { hint: _, ...finding } = undoneFinding(outcome)
      return { ...finding, message: `${outcome.address} ${outcome.status}: ${finding.message}` }
    }),
  )
}

/** A case for each resource: what was done and what is unchanged passes, what is blocked fails. */
export function casesOfApply(
  { actions }: Plan,
  { warnings }: Pick<OpenProject, 'warnings'>,
  { outcomes, durationOf }: Pick<CarriedOut, 'outcomes' | 'durationOf'>,
): ReportCase[] {
  const findings = [...warnings, ...undoneIn(outcomes).map(undoneFinding)]
  return resourceCases(actions, findings, ({ address }) => durationOf(address))
}

function undoneIn(outcomes: readonly ExplainedOutcome[]): ExplainedOutcome[] {
  return outcomes.filter(({ status }) => status !== 'done')
}
