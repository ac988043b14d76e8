import type { Diagnostic } from '../../files/source/index.ts'
import { defineErrors } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'
import type { ConditionProblem } from '../report/index.ts'

export type GuardErrors = {
  'guard-command-missing': { readonly file: string; readonly rule: string; readonly program: string }
}

export const guardError = defineErrors<GuardErrors>()

/** Codes of findings about a guard file beyond its schema, with their details. */
export type GuardFindings = Immutable<{
  /** `found` is the part of the condition; undefined if it came from the environment. */
  'unreadable-condition': { problem: ConditionProblem; found: string | undefined }
  'window-too-large': { calls: number; max: number }
  /** Position of the first rule with the name. */
  'duplicate-rule': { name: string; first: string }
  'two-actions': Record<never, never>
  'headers-without-url': Record<never, never>
  'command-with-variable': Record<never, never>
}>

/** Finding about a rule. Its sentence: see GuardFindings. */
export function guardFinding<Code extends keyof GuardFindings>(
  location: Pick<Diagnostic, 'file' | 'path' | 'position'>,
  code: Code,
  details: GuardFindings[Code],
): Diagnostic {
  return { code, severity: 'error', at: 'value', ...location, message: code, details }
}
