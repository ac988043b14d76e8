import { writeFile } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { CliError, type Diagnostic } from '../../errors.ts'
import type { Outcome } from '../../project/apply/outcome.ts'
import type { LockStore } from '../../project/lockfile/lock-store.ts'
import type { Plan } from '../../project/plan/actions.ts'
import { type JunitRun, junitReport } from './junit.ts'

/** What an apply came to, for `--json`. */
export function toDocument(
  { target, baseUrl, actions }: Plan,
  outcomes: readonly Outcome[],
  { recorded }: Pick<LockStore, 'recorded'>,
): Record<string, unknown> {
  const having = (status: Outcome['status']) => outcomes.filter(outcome => outcome.status === status)
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

/** The file of --junit; where none was asked for, nothing is written. */
export interface Report {
  /** What the apply came to. */
  write(run: JunitRun): Promise<void>
  /** What ended it, unless what it came to is written already. */
  writeFailure(error: unknown, target: string): Promise<void>
  /** @throws CliError `partial` when the report was asked for and could not be written. */
  assertWritten(): void
}

export function openReport(file: string | undefined, { resolve, output }: Context): Report {
  let begun = false
  let failed = false
  async function write(run: JunitRun): Promise<void> {
    begun = true
    if (file === undefined) return
    await writeFile(resolve(file), junitReport(run)).catch(error => {
      // The work is done by now: a report that cannot be written must not hide what became of it.
      failed = true
      output.warn(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`)
    })
  }
  return {
    write,
    async writeFailure(error, target) {
      if (!begun) await write({ target, error })
    },
    assertWritten() {
      if (!failed) return
      throw new CliError('partial', 'all is applied, but the report is not written', {
        hint: 'check that its folder is there and may be written; run again: it does only the rest',
      })
    },
  }
}
