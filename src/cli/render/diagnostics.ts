import { oneLine } from '../../lib/text/escape.ts'
import { bold, cyan, dim, join, red, type Text, text, yellow } from '../../lib/text/text.ts'
import { type Diagnostic, placeOf } from '../../source/index.ts'

/**
 * Findings as a compiler prints them, one per line with its hint indented below:
 * `assistants/a.yaml:12:14: error: idleTimeout is 3; allowed: a whole number from 5 to 600 [out-of-range]`.
 */
export function formatDiagnostics(diagnostics: readonly Diagnostic[]): Text {
  return join(diagnostics.map(formatDiagnostic), '\n')
}

/** One finding without its severity, for a line that says "warning:" already. */
export function formatFinding(diagnostic: Diagnostic): Text {
  return text`${bold(oneLine(placeOf(diagnostic)))}: ${oneLine(diagnostic.message)} ${dim(`[${diagnostic.code}]`)}`
}

function formatDiagnostic(diagnostic: Diagnostic): Text {
  const { severity, message, hint, code } = diagnostic
  const label = severity === 'error' ? red('error:') : yellow('warning:')
  const line = text`${bold(oneLine(placeOf(diagnostic)))}: ${label} ${oneLine(message)} ${dim(`[${code}]`)}`
  return hint === undefined ? line : text`${line}\n    ${cyan('hint:')} ${oneLine(hint)}`
}
