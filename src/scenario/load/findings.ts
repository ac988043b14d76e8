import type { FieldPath } from '../../interface/finding.ts'
import type { Diagnostic, Source } from '../../source/index.ts'
import type { TestFindings } from '../errors.ts'
import type { Place } from '../test-case.ts'

/** Where things of a file stand. */
export interface Located {
  readonly source: Source
  placeOf(path: FieldPath, at?: 'key' | 'value'): Place
}

export function locatedIn(source: Source): Located {
  const { file } = source
  return { source, placeOf: (path, at = 'value') => ({ file, path, position: source.positionOf(path, at) }) }
}

/** Collects what is wrong with a test. The same in many of its rows is one finding, of the first of them. */
export interface Findings {
  readonly diagnostics: readonly Diagnostic[]
  readonly hasErrors: boolean
  add<Code extends keyof TestFindings>(
    place: Place,
    code: string,
    message: Code,
    details: TestFindings[Code],
    severity?: Diagnostic['severity'],
  ): void
  /** A file that another one names cannot be read. */
  addUnreadable(place: Place, file: string, flaw: Pick<Diagnostic, 'code' | 'message' | 'hint'>): void
  /** What another check found. */
  addAll(diagnostics: readonly Diagnostic[]): void
}

export function collectFindings(): Findings {
  const diagnostics: Diagnostic[] = []
  const seen = new Set<string>()
  return {
    diagnostics,
    get hasErrors() {
      return diagnostics.some(({ severity }) => severity === 'error')
    },
    add({ file, path, position }, code, message, details, severity = 'error') {
      const key = JSON.stringify([file, path, message])
      if (seen.has(key)) return
      seen.add(key)
      diagnostics.push({ file, path, position, code, severity, at: 'value', message, details })
    },
    addUnreadable({ file: holder, path, position }, file, { code, message: problem, hint }) {
      const details: TestFindings['include-unreadable'] = { file, problem, hasHint: hint !== undefined }
      const place = { file: holder, path, position, severity: 'error', at: 'value' } as const
      diagnostics.push({ ...place, code, hint, message: 'include-unreadable', details })
    },
    addAll(found) {
      diagnostics.push(...found)
    },
  }
}
