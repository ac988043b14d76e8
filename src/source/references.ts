import type { Environment } from '../context.ts'
import type { FieldPath, Finding } from '../errors.ts'

export interface ReferenceOptions {
  /** Absolute path of the file that holds the references; `${file:…}` is relative to its folder. */
  readonly file: string
  readonly env: Environment
}

export interface Resolved {
  readonly value: unknown
  readonly findings: readonly Finding[]
  /** Fields that hold text from the environment. */
  readonly fromEnvironment: readonly FieldPath[]
}

/** To be filled in: see below. */
export async function resolveReferences(value: unknown, _options: ReferenceOptions): Promise<Resolved> {
  return { value, findings: [], fromEnvironment: [] }
}
