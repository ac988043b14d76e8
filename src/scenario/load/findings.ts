import type { Diagnostic, Source } from '../../files/source/index.ts'
import type { FieldPath } from '../../interface/finding.ts'
import type { TestFindings } from '../errors.ts'
import type { SourceLocation } from '../test-case.ts'

export type FileLocator = ReturnType<typeof createLocator>

export function createLocator(source: Source) {
  const locate = (path: FieldPath, at: 'key' | 'value' = 'value'): SourceLocation => {
    return { file: source.file, path, position: source.positionOf(path, at) }
  }
  return { source, placeOf: locate }
}

export type Findings = ReturnType<typeof createFindings>

/** Collects the problems of a test. A problem that repeats in many rows is reported once, for the first row. */
export function createFindings() {
  const diagnostics: Diagnostic[] = []
  const seen = new Set<string>()
  return {
    diagnostics,
    add<Code extends keyof TestFindings>(
      { file, path, position }: SourceLocation,
      code: string,
      message: Code,
      details: TestFindings[Code],
      severity: Diagnostic['severity'] = 'error',
    ): void {
      const key = JSON.stringify([file, path, message])
      if (seen.has(key)) return
      seen.add(key)
      diagnostics.push({ file, path, position, code, severity, at: 'value', message, details })
    },
    /** Reports an included file that could not be read, or its parse errors. `file` is the name as written. */
    addUnread(source: Source, location: SourceLocation, file: string): void {
      const whole = source.diagnostics.find(({ position }) => position === undefined)
      if (whole === undefined) diagnostics.push(...source.diagnostics)
      else {
        const { code, message: problem, hint } = whole
        const details: TestFindings['include-unreadable'] = { file, problem, hasHint: hint !== undefined }
        const about = { ...location, code, hint, message: 'include-unreadable', details }
        diagnostics.push({ ...about, severity: 'error', at: 'value' })
      }
    },
    addAll: (found: readonly Diagnostic[]) => void diagnostics.push(...found),
  }
}
