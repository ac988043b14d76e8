import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Context } from '../../cli/context.ts'
import type { Report } from '../../cli/reports/report.ts'
import type { Diagnostic } from '../../source/index.ts'

/**
 * A report whose files are named as seen from the root of the repository, with `/`: services that read it show them in the
 * repository. Nothing in it tells where that lies on this machine; a file outside of it is named without its folder.
 */
export function inRepository(report: Report, { cwd, env }: Pick<Context, 'cwd' | 'env'>): Report {
  const root = rootOf(cwd, env)
  const nameOf = (file: string) => placeIn(root, resolve(cwd, file))
  const prefix = root.endsWith(sep) ? root : root + sep
  const withoutRoot = (words: string) => (prefix === sep ? words : words.replaceAll(prefix, ''))
  const place = (finding: Diagnostic): Diagnostic => ({
    ...finding,
    file: nameOf(finding.file),
    message: withoutRoot(finding.message),
    hint: finding.hint === undefined ? undefined : withoutRoot(finding.hint),
  })
  const { cases, error } = report
  return {
    ...report,
    cases: cases.map(each => ({
      ...each,
      name: each.name === each.file ? nameOf(each.name) : each.name,
      findings: each.findings.map(place),
    })),
    error: error && {
      ...error,
      message: withoutRoot(error.message),
      hint: error.hint === undefined ? undefined : withoutRoot(error.hint),
    },
  }
}

/** What the pipeline has checked out, else the repository around the folder, else the folder itself. */
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

function placeIn(root: string, path: string): string {
  if (!isInside(root, path)) return basename(path)
  return relative(root, path).replaceAll(sep, '/') || '.'
}
