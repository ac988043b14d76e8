import {
  type ConditionProblem,
  type FigureCondition,
  parseCondition,
  type Verdict,
} from '../../../calls/report/conditions/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'

/**
 * Parses the conditions of --fail.
 * @throws CallyardError `usage` for a condition that cannot be read, or that needs a baseline without one
 */
export function readConditions(
  texts: readonly string[],
  { hasBaseline }: { readonly hasBaseline: boolean },
): FigureCondition[] {
  return texts.map(written => {
    const parsed = parseCondition(written, { live: false })
    if ('problem' in parsed) throw unreadable(written, parsed.problem)
    const { condition } = parsed
    if (condition.kind !== 'figure') throw new Error('a condition about live events')
    if (condition.limit.kind === 'baseline' && !hasBaseline)
      throw new CallyardError('usage', `--fail '${written}' requires --compare`, {
        hint: 'pass --compare with the recording to compare with',
      })
    return condition
  })
}

function unreadable(written: string, problem: ConditionProblem): CallyardError {
  const { message, hint, start, end, code, near } = problem
  const line = written.replace(/\s/g, ' ')
  const caret = `${' '.repeat(start)}${'^'.repeat(Math.max(1, end - start))}`
  const excerpt = written.trim() === '' ? '' : `\n  ${line}\n  ${caret}`
  return new CallyardError('usage', `--fail: ${message}${excerpt}`, {
    hint,
    details: { condition: written, problem: code, start, end, ...(near !== undefined && { near }) },
  })
}

/** @throws CallyardError `partial` if a condition holds, or cannot be evaluated */
export function assertNoneHolds(verdicts: readonly Verdict[]): void {
  const textsOf = (list: readonly Verdict[]) => [...new Set(list.map(({ condition }) => condition.text))]
  const held = textsOf(verdicts.filter(({ holds }) => holds))
  const unknown = textsOf(verdicts.filter(({ value, limit }) => value === undefined || limit === undefined))
  if (held.length > 0)
    throw new CallyardError(
      'partial',
      `${count(held.length, '--fail condition')} ${held.length === 1 ? 'holds' : 'hold'}: ${held.join('; ')}`,
      {
        details: { conditions: held },
      },
    )
  if (unknown.length > 0)
    throw new CallyardError('partial', `no data for ${unknown.join('; ')}`, {
      hint: 'remove the condition, or report on calls that have this data',
      details: { conditions: unknown },
    })
}
