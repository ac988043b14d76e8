import { type ApprovalErrors, approvalError } from '../../../calls/approval/index.ts'
import type { Context } from '../../shell/context.ts'

/** @throws CallyardError `usage` unless a person can read and type */
export function assertTerminal(what: ApprovalErrors['needs-terminal']['what'], context: Context): void {
  const { hasTerminal, prompts } = context
  if (!hasTerminal || !prompts.available) throw approvalError('usage', 'needs-terminal', { what })
}
