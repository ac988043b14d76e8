import { type Address, kindOfAddress } from '../../../files/formats/address.ts'
import type { Diagnostic } from '../../../files/source/index.ts'
import type { OutcomeDocument } from '../../../project/apply/index.ts'
import type { ActionDocument } from '../../../project/plan/index.ts'
import { formatChoicesHint } from '../plan-words.ts'
import { listCases, type ReportCase } from './report.ts'

/** Returns a case for each resource that has a file, with the findings of that file. */
export function resourceCases(
  actions: readonly ActionDocument[],
  findings: readonly Diagnostic[],
  durationOf: (address: Address) => number | undefined,
): ReportCase[] {
  const subjects = actions.flatMap(({ address, file }) =>
    file === undefined
      ? []
      : [{ kind: kindOfAddress(address), name: address, file, durationMs: durationOf(address) }],
  )
  return listCases(subjects, findings)
}

/** Returns findings for blocked resources; pending changes are not findings. */
export function blockedFindings(actions: readonly ActionDocument[]): Diagnostic[] {
  return actions.flatMap(action => {
    const { file = '', reason = action.action, choices } = action
    if (action.action !== 'blocked') return []
    return [undoneFinding({ status: action.action, file, reason, hint: formatChoicesHint(choices) })]
  })
}

interface UnappliedResource {
  readonly status: OutcomeDocument['status']
  readonly file: string
  readonly reason?: string | undefined
  readonly hint?: string | undefined
}

/** Returns a finding at the start of the file of a resource that was not applied. */
export function undoneFinding({ status, file, reason = status, hint }: UnappliedResource): Diagnostic {
  return {
    code: status,
    severity: status === 'skipped' ? 'warning' : 'error',
    path: [],
    at: 'value',
    file,
    position: { line: 1, column: 1 },
    message: reason,
    hint,
  }
}
