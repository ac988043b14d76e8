import { type Diagnostic, formatLocation } from '../../../files/source/index.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { bold, cyan, dim, join, red, type Text, text, yellow } from '../../../lib/text/text.ts'

/**
 * Formats findings like a compiler, each with its hint indented below:
 * `assistants/a.yaml:12:14: error: idleTimeout is 3; allowed: a whole number from 5 to 600 [out-of-range]`. With `sourceOf` each is set
 * apart, above the source that it returns.
 */
export function formatDiagnostics(
  diagnostics: readonly Diagnostic[],
  sourceOf?: (diagnostic: Diagnostic) => Text | undefined,
): Text {
  const blocks = diagnostics.map(diagnostic => formatDiagnostic(diagnostic, sourceOf?.(diagnostic)))
  return join(blocks, sourceOf === undefined ? '\n' : '\n\n')
}

export interface FirstDiagnostics {
  /** Findings of a code that are shown. */
  readonly max?: number
  /** Number of findings by code, if the diagnostics are a part of them. */
  readonly counts?: ReadonlyMap<string, number>
}

/** Formats the first findings of each code, and how many more there are. */
export function formatFirstDiagnostics(
  diagnostics: readonly Diagnostic[],
  { max = 20, counts }: FirstDiagnostics = {},
): Text {
  const byCode = groupBy(diagnostics, ({ code }) => code)
  const visibleDiagnostics = new Set([...byCode.values()].flatMap(ofCode => ofCode.slice(0, max)))
  const where = counts === undefined ? ' (--json shows all)' : ''
  const more = [...byCode].flatMap(([code, { length }]) => {
    const rest = (counts?.get(code) ?? length) - max
    return rest <= 0 ? [] : [dim(`… and ${rest} more [${code}]${where}`)]
  })
  return join([
    formatDiagnostics(diagnostics.filter(diagnostic => visibleDiagnostics.has(diagnostic))),
    ...more,
  ])
}

function formatDiagnostic(diagnostic: Diagnostic, source: Text | undefined): Text {
  const { severity, message, hint, code } = diagnostic
  const label = severity === 'error' ? red('error:') : yellow('warning:')
  return [
    text`${bold(oneLine(formatLocation(diagnostic)))}: ${label} ${oneLine(message)} ${dim(`[${code}]`)}`,
    source === undefined ? '' : text`\n${source}`,
    hint === undefined ? '' : text`\n    ${cyan('hint:')} ${oneLine(hint)}`,
  ]
}
