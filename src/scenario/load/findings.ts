import type { Diagnostic, Source } from '../../files/source/index.ts'
import type { FieldPath } from '../../interface/finding.ts'
import type { SourceLocation } from '../test-case.ts'

export type FileLocator = ReturnType<typeof createLocator>

export function createLocator(source: Source) {
  const locate = (path: FieldPath, at: 'key' | 'value' = 'value'): SourceLocation => {
    return { file: source.file, path, position: source.positionOf(path, at) }
  }
  return { source, placeOf: locate }
}

export type Findings = ReturnType<typeof createFindings>

interface FindingText {
  readonly message: string
  readonly hint?: string | undefined
  /** 1-based number of the row of `each` that has the problem; undefined for a test without rows. */
  readonly row?: number | undefined
  /** Default: error. */
  readonly severity?: Diagnostic['severity']
}

/** Collects the problems of a test. A problem that repeats in many rows is reported once, for the first row. */
export function createFindings() {
  const diagnostics: Diagnostic[] = []
  const seen = new Set<string>()
  return {
    diagnostics,
    add(
      { file, path, position }: SourceLocation,
      code: string,
      { message: text, hint, row, severity = 'error' }: FindingText,
    ): void {
      const key = JSON.stringify([file, path, code, row === undefined && text])
      if (seen.has(key)) return
      seen.add(key)
      const message = row === undefined ? text : `${text}, in row ${row}`
      diagnostics.push({ file, path, position, code, severity, at: 'value', message, hint })
    },
    /** Reports an included file that could not be read, or its parse errors. `file` is the name as written. */
    addUnread(source: Source, location: SourceLocation, file: string): void {
      const whole = source.diagnostics.find(({ position }) => position === undefined)
      if (whole === undefined) diagnostics.push(...source.diagnostics)
      else {
        const { code, hint } = whole
        const message = `${file} cannot be used: ${whole.message}`
        diagnostics.push({ ...location, code, severity: 'error', at: 'value', message, hint })
      }
    },
    addAll: (found: readonly Diagnostic[]) => void diagnostics.push(...found),
  }
}
