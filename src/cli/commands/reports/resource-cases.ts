import { kindOfAddress } from '../../../files/formats/address.ts'
import type { Diagnostic } from '../../../files/source/index.ts'
import type { OutcomeDocument } from '../../../project/apply/index.ts'
import type { ActionDocument } from '../../../project/plan/index.ts'
import { formatChoicesHint } from '../../shell/plan-words.ts'
import { listCases, type ReportCase } from '../../shell/reports/report.ts'

/** Returns a case for each resource that has a file, with the findings of that file. */
export function resourceCases(
  actions: readonly Pick<ActionDocument, 'address' | 'file'>[],
  findings: readonly Diagnostic[],
  durationOf: (action: Pick<ActionDocument, 'address'>) => number | undefined,
): ReportCase[] {
  const subjects = actions.flatMap(action => {
    const { address, file } = action
    if (file === undefined) return []
    return [{ kind: kindOfAddress(address), name: address, file, durationMs: durationOf(action) }]
  })
  return listCases(subjects, findings)
}

/** Returns findings for blocked resources; pending changes are not findings. */
export function blockedFindings(actions: readonly ActionDocument[]): Diagnostic[] {
  return actions.flatMap(action => {
    const { file = '', reason = action.action } = action
    if (action.action !== 'blocked') return []
    return [undoneFinding({ status: action.action, file, reason, hint: formatChoicesHint(action) })]
  })
}

/** Returns a finding at the start of the file of a resource that was not applied. */
export function undoneFinding({
  status,
  file,
  reason = status,
  hint,
}: Pick<OutcomeDocument, 'status' | 'file' | 'reason' | 'hint'>): Diagnostic {
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
