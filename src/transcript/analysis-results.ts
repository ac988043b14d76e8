/**
 * The results of an analysis by the names that people read: the three of interface.md 2.9, then whatever else there is, under
 * its own name. What is null or undefined says nothing and is left out.
 */
export function analysisResults(
  analysis: Readonly<Record<string, unknown>>,
): [name: string, value: unknown][] {
  const { summary, successEvaluation, structuredData, ...rest } = analysis
  // A list, for one of the rest may be called `success` too.
  const named: [string, unknown][] = [
    ['summary', summary],
    ['success', withScale(successEvaluation)],
    ['data', structuredData],
    ...Object.entries(rest),
  ]
  return named.filter(([, value]) => value !== undefined && value !== null)
}

/** A number from 0 to 10 is one of the rubric that interface.md 2.4 shows, NumericScale: `10 of 10`. */
function withScale(success: unknown): unknown {
  const text = typeof success === 'number' ? String(success) : success
  return typeof text === 'string' && /^(10(\.0+)?|\d(\.\d+)?)$/.test(text) ? `${text} of 10` : success
}
