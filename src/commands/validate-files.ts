import type { Context } from '../cli/context.ts'
import { wordedFindings } from '../cli/messages/with-words.ts'
import { formatDiagnostics } from '../cli/render/diagnostics.ts'
import { casesOf, createTimer } from '../cli/reports/report.ts'
import { CallwrightError } from '../lib/error.ts'
import { join } from '../lib/text/text.ts'
import { accessOf, checkPaths, isNoAccess } from '../project/index.ts'
import type { Reports } from './reports/open-reports.ts'
import type { ValidateOptions } from './validate.ts'

/**
 * Checks files offline and prints all findings as the result; of a project that is named as a whole also what plan checks
 * in it. Throws `invalid` (exit 3) when one is an error.
 */
export async function validateFiles(
  paths: readonly string[],
  options: ValidateOptions,
  context: Context,
): Promise<void> {
  if ((options.junit ?? options.sarif) === undefined) return checkAndPrint(paths, options, context)
  // What writes reports is loaded only for them.
  const { withReports } = await import('./reports/open-reports.ts')
  const run = { command: 'validate', done: 'the files are checked' } as const
  await withReports(run, options, context, reports => checkAndPrint(paths, options, context, reports))
}

async function checkAndPrint(
  paths: readonly string[],
  { kind, allowUnknown }: ValidateOptions,
  context: Context,
  reports?: Reports,
): Promise<void> {
  const { files: rules, output, signal, clock } = context
  const timer = createTimer(clock)
  const vocabulary = (await context.settings()).vocabulary.value
  const shared = { ...rules, vocabulary, signal, onCheck: timer.start }
  const { files, findings, skipped } = await checkPaths(paths, {
    ...shared,
    kind,
    allowUnknown,
    onFound: found => reports?.assertNoneOf(found),
    checkTests: async (tests, checked) =>
      (await import('../scenario/load/load-tests.ts')).loadTestFiles(tests, { ...shared, checked }),
  })
  const diagnostics = await wordedFindings(findings)
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  const warnings = diagnostics.length - errors
  const access = accessOf(files)
  if (skipped.length > 0) output.note(skippedLine(skipped))
  const uses = isNoAccess(access)
    ? []
    : [await (await import('../cli/render/access.ts')).usesText(access, output.width)]
  output.result({ files: files.length, errors, warnings, diagnostics, skipped, access }, () => {
    const total = `${count(files.length, 'file')} checked, ${count(errors, 'error')}, ${count(warnings, 'warning')}`
    const found = diagnostics.length === 0 ? [] : [formatDiagnostics(diagnostics)]
    return join([...found, total, ...uses], '\n')
  })
  output.annotate(diagnostics)
  const checkedFiles = files.map(({ kind, source: { file, path } }) => ({
    kind,
    name: file,
    file,
    durationMs: timer.durationOf(path),
  }))
  await reports?.write({ cases: casesOf(checkedFiles, diagnostics) })
  if (errors > 0) throw new CallwrightError('invalid', `${count(errors, 'error')} found`)
}

function skippedLine(skipped: readonly string[]): string {
  const shown = skipped.slice(0, maxNamed).join(', ')
  const more = skipped.length > maxNamed ? ` and ${skipped.length - maxNamed} more` : ''
  return `skipped ${shown}${more}: unknown kind; move to assistants/, tools/, …, or pass --kind`
}

const maxNamed = 5

function count(number: number, noun: string): string {
  return `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`
}
