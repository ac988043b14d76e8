import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import { CliError, type Diagnostic } from '../../errors.ts'
import type { KindName } from '../../interface/words.ts'
import { formatDiagnostics } from '../../output/diagnostics.ts'
import { type Text, text } from '../../output/text.ts'
import { checkNamesIn, projectsAround } from '../../project/load/file-in-project.ts'
import { fileKinds } from '../../project/load/find-resources.ts'
import type { CheckedProject } from '../../project/load/load-project.ts'
import type { CheckFileOptions } from '../../source/check-file.ts'
import { findFiles } from '../../source/find-files.ts'

export interface ValidateOptions {
  readonly paths: readonly string[]
  readonly kind?: KindName
  readonly allowUnknown?: boolean
}

interface Report {
  readonly files: number
  readonly errors: number
  readonly warnings: number
  readonly diagnostics: readonly Diagnostic[]
  readonly skipped: readonly string[]
}

/**
 * Checks files offline and prints all findings as the result; of a project that is named as a whole also what plan checks
 * in it. Throws `invalid` (exit 3) when one is an error.
 */
export async function validate(
  { paths, kind, allowUnknown }: ValidateOptions,
  context: Context,
): Promise<void> {
  const { cwd, env, output, signal } = context
  const vocabulary = (await context.settings()).vocabulary.value
  const found = await findFiles(paths, { cwd, kind })
  const diagnostics = [...found.diagnostics]
  const projectAround = projectsAround(context)
  const options = { cwd, env, vocabulary, allowUnknown }
  const projects = await checkProjects(found.projects, options)
  const known = new Map(
    projects.flatMap(({ resources }) =>
      resources.map(({ path, kind, checked }) => [`${fileKinds[kind]} ${path}`, checked]),
    ),
  )
  for (const file of found.files) {
    signal.throwIfAborted()
    const checked =
      known.get(`${file.kind} ${file.path}`) ??
      (await checkNamesIn(await projectAround(file.path), file.path, file.kind, options))
    diagnostics.push(...checked.diagnostics)
  }
  diagnostics.push(...projects.flatMap(({ findings }) => findings))
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  const report: Report = {
    files: found.files.length,
    errors,
    warnings: diagnostics.length - errors,
    diagnostics,
    skipped: found.skipped,
  }
  if (report.skipped.length > 0) output.note(skippedLine(report.skipped))
  output.result(report, () => reportText(report))
  output.annotate(diagnostics)
  if (errors > 0) throw new CliError('invalid', `${count(errors, 'error')} found`)
}

/** Loaded only where a whole project is to be checked. */
async function checkProjects(files: readonly string[], options: CheckFileOptions): Promise<CheckedProject[]> {
  if (files.length === 0) return []
  const { checkProject } = await import('../../project/load/load-project.ts')
  return Promise.all(files.map(file => checkProject(dirname(file), options)))
}

function reportText(report: Report): Text {
  const total = `${count(report.files, 'file')} checked, ${count(report.errors, 'error')}, ${count(report.warnings, 'warning')}`
  return report.diagnostics.length === 0 ? total : text`${formatDiagnostics(report.diagnostics)}\n${total}`
}

function skippedLine(skipped: readonly string[]): string {
  const shown = skipped.slice(0, mostNamed).join(', ')
  const more = skipped.length > mostNamed ? ` and ${skipped.length - mostNamed} more` : ''
  return `skipped, for nothing tells their kind: ${shown}${more}`
}

const mostNamed = 5

function count(number: number, noun: string): string {
  return `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`
}
