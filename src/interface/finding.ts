/** The path of a field inside a document: `['config', 'speech', 'ttsData', 0, 'vendor']`. */
export type FieldPath = readonly (string | number)[]

/** Hint of an unknown field where too many are known. */
export const seeSchema = 'the schema has every field'

/** One finding about a value, as data: which field, what is wrong, what is allowed. */
export interface Finding {
  /** Stable, kebab-case: `unknown-key`, `missing`, `wrong-type`, `not-allowed`, `out-of-range`, `broken-yaml`… */
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly path: FieldPath
  /** The key of the field (an unknown name), or its value. */
  readonly at: 'key' | 'value'
  readonly message: string
  /** Values for hints of commands. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly hint?: string | undefined
}

/** An error of a field's value. */
export function valueError(path: FieldPath, code: string, message: string, hint?: string): Finding {
  return { code, severity: 'error', path, at: 'value', message, hint }
}

/** An error of a field's name. */
export function keyError(path: FieldPath, message: string, hint?: string): Finding {
  return { ...valueError(path, 'unknown-key', message, hint), at: 'key' }
}

export function hasErrors(findings: readonly Pick<Finding, 'severity'>[]): boolean {
  return findings.some(({ severity }) => severity === 'error')
}
