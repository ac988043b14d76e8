import { type Diagnostic, formatLocation, type Source } from '../../files/source/index.ts'
import type { FieldPath } from '../../interface/finding.ts'
import type { SourceLocation } from '../test-case.ts'

export type FileLocator = ReturnType<typeof createLocator>

export function createLocator(source: Source) {
  const locate = (path: FieldPath, at: 'key' | 'value' = 'value'): SourceLocation => ({
    file: source.file,
    path,
    // Finding a position parses the file again, and a test that passes reports none.
    get position() {
      return source.positionOf(path, at)
    },
  })
  return { source, locationOf: locate }
}

export type Findings = ReturnType<typeof createFindings>

/** A cell of `each`, with the 1-based number of its row. */
export interface RowCell extends SourceLocation {
  readonly row: number
}

interface FindingText {
  readonly message: string
  readonly hint?: string | undefined
  /** First cell of `each` that the value with the problem uses; undefined for a value without cells. */
  readonly cell?: RowCell | undefined
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
      { message: text, hint, cell, severity = 'error' }: FindingText,
    ): void {
      const key = JSON.stringify([file, path, code, cell === undefined && text])
      if (seen.has(key)) return
      seen.add(key)
      const message = cell === undefined ? text : `${text}, in row ${cell.row} (${formatLocation(cell)})`
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
    addAll: (newDiagnostics: readonly Diagnostic[]) => void diagnostics.push(...newDiagnostics),
  }
}
