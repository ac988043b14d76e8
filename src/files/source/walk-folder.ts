import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describeFileError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { extensionOf, fieldExtensions, hasExtension } from '../../lib/fs/extension.ts'
import { assertFile } from '../../lib/fs/read-file.ts'

/** A folder that cannot be listed, a broken link, or a pipe or device instead of a file. */
export interface UnreadablePath {
  /** Absolute. */
  readonly path: string
  readonly problem: string
}

/**
 * Lists the YAML, JSON and CSV files below a folder, and the paths that could not be read, so that an empty list means no files.
 * Follows links. Skips hidden names and node_modules. Synchronous, because a promise per folder takes longer.
 */
export function walkFolder(root: string) {
  const files: string[] = []
  const unreadable: UnreadablePath[] = []
  /** `links` are the real paths of the links followed so far, to stop at cycles. */
  function walk(folder: string, links: readonly string[]): void {
    for (const entry of listFolder(folder)) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      if (entry.isDirectory()) walk(path, links)
      else if (entry.isFile()) addFile(path)
      else visitOther(path, links)
    }
  }
  function listFolder(folder: string) {
    try {
      return readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      unreadable.push({ path: folder, problem: describeReadFailure(error) })
      return []
    }
  }
  function visitOther(path: string, links: readonly string[]): void {
    try {
      const status = statSync(path)
      if (status.isDirectory()) {
        const real = realpathSync(path)
        if (!links.some(link => link === real)) walk(path, [...links, real])
      } else if (isResourceName(path)) {
        assertFile(path, status)
        files.push(path)
      }
    } catch (error) {
      // A link without an extension may lead to a folder.
      if (isResourceName(path) || extensionOf(path) === '')
        unreadable.push({ path, problem: describeReadFailure(error) })
    }
  }
  function addFile(path: string): void {
    if (isResourceName(path)) files.push(path)
  }
  walk(root, [])
  return { files, unreadable }
}

function isResourceName(path: string): boolean {
  return hasExtension(path, [...fieldExtensions, '.csv', '.tsv'])
}

export function describeReadFailure(error: unknown): string {
  const code = getErrorCode(error) ?? ''
  if (code === 'ENOTFILE') return getErrorReason(error).replace(/^it is/, 'this is')
  return problems[code] ?? `this cannot be read: ${describeFileError(error)}`
}

const problems: Readonly<Record<string, string>> = {
  EACCES: 'this folder cannot be read: permission denied',
  EPERM: 'this folder cannot be read: permission denied',
  ENOENT: 'this is a broken link',
  ENOTDIR: 'this is a broken link',
  ELOOP: 'this link points to itself',
}
