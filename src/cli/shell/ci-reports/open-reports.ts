import { existsSync } from 'node:fs'
import { appendFile, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { InvalidInput, inferKind, projectFileName } from '../../../files/source/index.ts'
import { CallyardError, describeFileError, getErrorReason } from '../../../lib/error.ts'
import { isStream } from '../../../lib/fs/private-file.ts'
import { replaceFile } from '../../../lib/fs/replace-file.ts'
import { lockfileName } from '../../../project/lockfile/index.ts'
import type { Context } from '../context.ts'
import { isStdout, type OutputFile } from '../flags/out-flag.ts'
import { assertNoInputs, assertReports, RefusedFile } from '../out-file.ts'
import { listCases, type Report, type ReportCase, type ReportContent } from './report.ts'

export interface Reports {
  /** @throws RefusedFile when a report is to be written over one of the files that the command reads. */
  assertNoneOf(inputs: readonly string[]): Promise<void>
  /** Writes all requested files once the result of the command is known. Later calls write nothing. */
  write(content: PageContent): Promise<void>
}

interface ReportOptions {
  /** Also files that the command writes itself. */
  readonly out?: readonly OutputFile[] | undefined
}

/** Result of a command, with the page of a command that renders one. */
interface PageContent extends ReportContent {
  readonly page?: string | undefined
}

interface ReportedRun {
  readonly command: Report['command']
  /** Description of the work if only the report failed: "all is applied". */
  readonly done: string
  /** The target of a report about an error that came before write(). */
  target?(): Promise<string>
}

/**
 * Runs a command's work and writes the reports of its flags, even if the work fails. A report that cannot be written hides no result.
 * @throws CallyardError `usage` if two outputs are one file or one is a file of the project, `partial` if the work succeeded and a
 * report was not written.
 */
export async function withReports(
  { command, done, target }: ReportedRun,
  { out = [] }: ReportOptions,
  context: Context,
  work: (reports: Reports) => Promise<void>,
): Promise<void> {
  const startedAt = context.clock.now()
  assertDistinct(out, context)
  let begun = false
  let failed = false
  const write = async ({ page, ...content }: PageContent) => {
    if (begun) return
    begun = true
    const durationMs = context.clock.now() - startedAt
    const report = inRepository({ command, startedAt, durationMs, ...content }, context)
    for (const { file, format } of out) {
      const text = format === 'html' ? page : await reportText(format, report)
      if (text === undefined) continue
      if (isStdout(file)) {
        context.output.data(text)
        continue
      }
      await writeOutputFile(context.resolve(file), text).catch(error => {
        failed = true
        context.output.warn(`cannot write ${file}: ${describeFileError(error)}`)
      })
    }
  }
  try {
    // The command itself reports unreadable settings.
    const { project } = await context.settings().catch(() => ({ project: undefined }))
    const folder = project === undefined ? context.cwd : dirname(project.file)
    for (const { file } of out) assertNoInput(file, folder, context)
    await assertReports(out, context)
    await work({
      write,
      assertNoneOf: inputs => assertNoInputs(out, inputs, context),
    })
  } catch (error) {
    if (!(error instanceof RefusedFile) && out.length > 0)
      await write({ target: await target?.(), ...contentOf(context.withHints(error)) })
    throw error
  }
  if (!failed) return
  throw new CallyardError('partial', `${done}, but the report could not be written`, {
    hint: 'check free disk space, and the permissions of the file and its folder, then run it again',
  })
}

/** Loads the library of a format only if it is requested. */
async function reportText(format: OutputFile['format'], report: Report): Promise<string | undefined> {
  if (format === 'junit') return (await import('./junit.ts')).toJunit(report)
  if (format === 'sarif') return (await import('./sarif.ts')).toSarif(report)
  return undefined
}

/** Returns the findings of invalid input, or any other error. Anything except a CallyardError is a bug. */
function contentOf(error: unknown): ReportContent {
  if (error instanceof InvalidInput) return { cases: listCases([], error.diagnostics) }
  const isKnown = error instanceof CallyardError
  return { cases: [], error: isKnown ? error : { kind: 'bug', message: getErrorReason(error) } }
}

function assertDistinct(out: readonly OutputFile[], { resolve }: Context): void {
  for (const [index, { file }] of out.entries()) {
    const other = out.slice(0, index).find(candidate => resolve(candidate.file) === resolve(file))
    if (other === undefined) continue
    throw new CallyardError('usage', `--out ${other.file} and --out ${file} are the same file`, {
      hint: 'use a different file for each',
    })
  }
}

/** A plan or a report must not take the place of the lockfile, of callyard.yaml or of a resource. @throws RefusedFile */
function assertNoInput(file: string, folder: string, { resolve }: Context): void {
  const path = resolve(file)
  const inside = relative(folder, path)
  const own =
    [projectFileName, lockfileName].some(name => path === join(folder, name)) ||
    (!inside.startsWith(`..${sep}`) && dirname(inside) !== '.' && inferKind(path, folder) !== undefined)
  if (!own) return
  throw new RefusedFile('usage', `--out ${file} would overwrite a file of the project; nothing was sent`, {
    hint: 'choose a name outside of its folders, such as plan.json or callyard.xml',
  })
}

/**
 * Returns a report with file names relative to the root of the repository, with `/`, for services that show them there. It does not
 * contain the location on this machine; a file outside is shown without its folder.
 */
function inRepository(report: Report, { cwd, env }: Context): Report {
  const root = rootOf(cwd, env)
  const nameOf = (file: string) => pathIn(root, resolve(cwd, file))
  const prefix = root.endsWith(sep) ? root : root + sep
  const withoutRoot = (words: string) => (prefix === sep ? words : words.replaceAll(prefix, ''))
  const wordsOf = (message: string, hint: string | undefined) => {
    return { message: withoutRoot(message), hint: hint === undefined ? undefined : withoutRoot(hint) }
  }
  const { cases, error } = report
  return {
    ...report,
    cases: cases.map(reportCase => ({
      ...reportCase,
      name: reportCase.name === reportCase.file ? nameOf(reportCase.name) : reportCase.name,
      location:
        reportCase.file === undefined
          ? undefined
          : { file: nameOf(reportCase.file), line: lineOf(reportCase, reportCase.file) },
      findings: reportCase.findings.map(finding => ({
        ...finding,
        ...wordsOf(finding.message, finding.hint),
        file: nameOf(finding.file),
      })),
    })),
    error: error && { kind: error.kind, ...wordsOf(error.message, error.hint) },
  }
}

/** Line of the first error in the file, else 1. */
function lineOf({ findings }: ReportCase, file: string): number {
  const fileError = findings.find(finding => finding.severity === 'error' && finding.file === file)
  return fileError?.position?.line ?? 1
}

/** Returns the checkout of the pipeline, else the repository around the folder, else the folder itself. */
function rootOf(cwd: string, { GITHUB_WORKSPACE, CI_PROJECT_DIR }: Context['env']): string {
  const checkout = [GITHUB_WORKSPACE, CI_PROJECT_DIR].find(
    folder => folder !== undefined && folder !== '' && isInside(folder, cwd),
  )
  return checkout === undefined ? (repositoryAround(cwd) ?? cwd) : resolve(checkout)
}

function repositoryAround(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder
  return dirname(folder) === folder ? undefined : repositoryAround(dirname(folder))
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

function pathIn(root: string, path: string): string {
  if (!isInside(root, path)) return basename(path)
  return relative(root, path).replaceAll(sep, '/') || '.'
}

/**
 * Writes the file of a flag: completely or not at all, through links, with its existing permissions. Devices, pipes and the target of
 * /dev/stdout are written in place. A new file gets the permissions of `mode`, by default 0666 minus the umask.
 * @throws the error of the system.
 */
export async function writeOutputFile(path: string, text: string, mode?: number): Promise<void> {
  const existing = await stat(path).catch(() => undefined)
  if (existing !== undefined && (isStream(path) || !existing.isFile())) return appendFile(path, text)
  await replaceFile(path, text, { mode: existing === undefined ? mode : undefined })
}
