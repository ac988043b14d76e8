import { dirname } from 'node:path'
import type { Context } from '../cli/context.ts'
import { wordedFindings } from '../cli/messages/with-words.ts'
import { formatDiagnostics } from '../cli/render/diagnostics.ts'
import { casesOf, createTimer } from '../cli/reports/report.ts'
import { CallwrightError } from '../lib/error.ts'
import { join, type Text } from '../lib/text/text.ts'
import {
  type Access,
  accessOf,
  checkNamesIn,
  checkProject,
  fileKinds,
  isNoAccess,
  projectsAround,
} from '../project/index.ts'
import { type CheckedFile, type Diagnostic, displayName, findFiles } from '../source/index.ts'
import type { Reports } from './reports/open-reports.ts'
import type { ValidateOptions } from './validate.ts'

interface Summary {
  readonly files: number
  readonly errors: number
  readonly warnings: number
  readonly diagnostics: readonly Diagnostic[]
  readonly skipped: readonly string[]
  readonly access: Access
}

/**
 * Checks files offline and prints all findings as the result; of a project that is named as a whole also what plan checks
 * in it. Throws `invalid` (exit 3) when one is an error.
 */
export async function validateFiles(
  paths: readonly string[],
  options: ValidateOptions,
  context: Context,
): Promise<void> {
  if ((options.junit ?? options.sarif) === undefined) return checkPaths(paths, options, context)
  // What writes reports is loaded only for them.
  const { withReports } = await import('./reports/open-reports.ts')
  const run = { command: 'validate', done: 'the files are checked' } as const
  await withReports(run, options, context, reports => checkPaths(paths, options, context, reports))
}

async function checkPaths(
  paths: readonly string[],
  { kind, allowUnknown }: ValidateOptions,
  context: Context,
  reports?: Reports,
): Promise<void> {
  const { cwd, files, output, signal, clock } = context
  const vocabulary = (await context.settings()).vocabulary.value
  const found = await findFiles(paths, { cwd, kind })
  reports?.assertNoneOf(found.files.map(({ path }) => path))
  const all: CheckedFile[] = []
  const timer = createTimer(clock)
  const projectAround = projectsAround(files)
  const options = { ...files, vocabulary, allowUnknown }
  const projects = await Promise.all(
    found.projects.map(file => checkProject(dirname(file), { ...options, onCheck: timer.start })),
  )
  const known = new Map(
    projects.flatMap(({ resources }) =>
      resources.map(({ path, kind, checked }) => [`${fileKinds[kind]} ${path}`, checked]),
    ),
  )
  for (const file of found.files) {
    signal.throwIfAborted()
    let checked = known.get(`${file.kind} ${file.path}`)
    if (checked === undefined) {
      const onEnd = timer.start(file.path)
      checked = await checkNamesIn(await projectAround(file.path), file.path, file.kind, options)
      onEnd()
    }
    all.push(checked)
  }
  const diagnostics = await wordedFindings([
    ...found.diagnostics,
    ...all.flatMap(checked => checked.diagnostics),
    ...projects.flatMap(({ findings }) => findings),
  ])
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  const summary: Summary = {
    files: found.files.length,
    errors,
    warnings: diagnostics.length - errors,
    diagnostics,
    skipped: found.skipped,
    access: accessOf(all),
  }
  if (summary.skipped.length > 0) output.note(skippedLine(summary.skipped))
  const uses = isNoAccess(summary.access)
    ? undefined
    : await (await import('../cli/render/access.ts')).usesText(summary.access, output.width)
  output.result(summary, () => summaryText(summary, uses))
  output.annotate(diagnostics)
  const checkedFiles = found.files.map(({ path, kind }) => {
    const name = displayName(path, cwd)
    return { kind, name, file: name, durationMs: timer.durationOf(path) }
  })
  await reports?.write({ cases: casesOf(checkedFiles, diagnostics) })
  if (errors > 0) throw new CallwrightError('invalid', `${count(errors, 'error')} found`)
}

function summaryText(summary: Summary, uses: Text | undefined): Text {
  const total = `${count(summary.files, 'file')} checked, ${count(summary.errors, 'error')}, ${count(summary.warnings, 'warning')}`
  const { diagnostics } = summary
  const parts = [
    ...(diagnostics.length === 0 ? [] : [formatDiagnostics(diagnostics)]),
    total,
    ...(uses === undefined ? [] : [uses]),
  ]
  return join(parts, '\n')
}

function skippedLine(skipped: readonly string[]): string {
  const shown = skipped.slice(0, maxNamed).join(', ')
  const more = skipped.length > maxNamed ? ` and ${skipped.length - maxNamed} more` : ''
  return `skipped, for nothing tells their kind: ${shown}${more}`
}

const maxNamed = 5

function count(number: number, noun: string): string {
  return `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`
}
