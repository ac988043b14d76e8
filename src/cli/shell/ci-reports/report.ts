import type { Diagnostic } from '../../../files/source/index.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { ErrorKind } from '../../../lib/error.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { escapeForTerminal } from '../../../lib/text/escape.ts'

/** One file that was checked, or one resource that was planned or applied. It fails when a finding is an error. */
export interface ReportCase {
  /** `tool`, `assistant`, `knowledge-base`; `file` where the kind is unknown. */
  readonly kind: string
  readonly name: string
  /** The file that it is about, as findings name it; a case may have its name. */
  readonly file?: string | undefined
  /** Link target for services that show the report; `file` is relative to the root of the repository. */
  readonly location?: { readonly file: string; readonly line: number } | undefined
  readonly durationMs?: number | undefined
  /** A finding with the code `skipped` skips the case; `undecided` is reported as an error next to its failures. */
  readonly findings: readonly Diagnostic[]
  /** Why it was not run. */
  readonly skipped?: string | undefined
  /** Text next to the findings: what led to them. */
  readonly details?: string | undefined
}

/** Result of a command as data. */
export interface ReportContent {
  /** The section of the lockfile, for those that have one. */
  readonly target?: string | undefined
  readonly cases: readonly ReportCase[]
  /** Error that ended the command, if it is not a finding about a file. */
  readonly error?: { kind: ErrorKind; message: string; hint?: string | undefined } | undefined
  /** Settings of the run, which tell reports apart. */
  readonly properties?: Readonly<Record<string, string>> | undefined
}

/** Result of `validate`, `plan`, `apply` or `test`, which each format renders. */
export interface Report extends ReportContent {
  readonly command: 'validate' | 'plan' | 'apply' | 'test'
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
}

/** A case for each subject with the findings of its file, and one for each other file that findings are about. */
export function listCases(
  subjects: readonly Omit<ReportCase, 'findings'>[],
  diagnostics: readonly Diagnostic[],
): ReportCase[] {
  const byFile = groupBy(diagnostics, ({ file }) => file)
  const cases = subjects.map(subject => {
    const { file = '' } = subject
    const findings = byFile.get(file) ?? []
    byFile.delete(file)
    return { ...subject, findings }
  })
  return [...cases, ...[...byFile].map(([file, findings]) => ({ kind: 'file', name: file, file, findings }))]
}

export function withHint(words: string, hint: string | undefined): string {
  return hint === undefined || hint === '' ? words : `${words}\nhint: ${hint}`
}

/** Control characters become visible. XML 1.0 can hold neither them nor U+FFFE and U+FFFF, not even escaped. */
export function visible(words: string, allowedCharacters = ''): string {
  return escapeForTerminal(words, { allowedCharacters })
    .replaceAll('\ufffe', '\\ufffe')
    .replaceAll('\uffff', '\\uffff')
}

/** Measures durations for a report. */
export function createTimer(clock: Clock) {
  const durations = new Map<string, number>()
  return {
    /** Begins to time something by its name; what it returns ends that. */
    start(name: string) {
      const startedAt = clock.now()
      return () => void durations.set(name, clock.now() - startedAt)
    },
    /** Milliseconds; undefined for what was not timed to its end. */
    durationOf: (name: string) => durations.get(name),
  }
}
