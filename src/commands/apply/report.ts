import { writeFile } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import type { Diagnostic } from '../../errors.ts'
import type { Outcome } from '../../project/apply/outcome.ts'
import type { Plan } from '../../project/plan/actions.ts'
import { type JunitRun, junitReport } from './junit.ts'

/** What an apply came to, for `--json`. */
export function toDocument(
  { target, baseUrl, actions }: Plan,
  outcomes: readonly Outcome[],
): Record<string, unknown> {
  const having = (status: Outcome['status']) => outcomes.filter(outcome => outcome.status === status)
  const named = (action: string) => actions.flatMap(each => (each.action === action ? [each.address] : []))
  return {
    target,
    baseUrl,
    done: having('done'),
    failed: having('failed'),
    skipped: having('skipped'),
    blocked: having('blocked'),
    unchanged: named('unchanged'),
    orphaned: named('orphaned'),
  }
}

/** What was not done, at the file that it is about. */
export function annotate(outcomes: readonly Outcome[], { output }: Context): void {
  output.annotate(
    outcomes.flatMap(({ status, file, address, reason = status }): Diagnostic[] =>
      status === 'done'
        ? []
        : [
            {
              code: status,
              severity: status === 'skipped' ? 'warning' : 'error',
              path: [],
              at: 'value',
              file,
              position: { line: 1, column: 1 },
              message: `${address} ${status}: ${reason}`,
            },
          ],
    ),
  )
}

/** The file of --junit. */
export async function writeReport(
  junit: string | undefined,
  run: JunitRun,
  { resolve, output }: Context,
): Promise<void> {
  if (junit === undefined) return
  await writeFile(resolve(junit), junitReport(run)).catch(error => {
    // The work is done by now: a report that cannot be written must not hide what became of it.
    output.warn(`cannot write ${junit}: ${error instanceof Error ? error.message : String(error)}`)
  })
}
