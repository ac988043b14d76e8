import type * as z from 'zod/mini'
import type { Immutable } from '../lib/json.ts'
import type { findingSchema } from './finding-schema.ts'

/** Hint of an unknown field where too many are known. */
export const seeSchema = 'the schema has every field'

export interface Finding extends Immutable<z.infer<typeof findingSchema>> {
  /** Values for hints of commands. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** The path of a field inside a document: `['config', 'speech', 'ttsData', 0, 'vendor']`. */
export type FieldPath = Finding['path']

/** An error of a field's value. */
export function valueError(path: FieldPath, code: string, message: string, hint?: string): Finding {
  return { code, severity: 'error', path, at: 'value', message, hint }
}

/** An error of a field's name. */
export function keyError(path: FieldPath, message: string, hint?: string): Finding {
  return { ...valueError(path, 'unknown-key', message, hint), at: 'key' }
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error')
}
