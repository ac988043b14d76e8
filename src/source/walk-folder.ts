import { readdirSync, realpathSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { codeOf, reasonOf } from '../lib/error.ts'
import { fileReasonOf } from '../lib/fs/file-error.ts'
import { assertFile } from '../lib/fs/read-file.ts'

/** A folder that cannot be listed, a broken link, or a pipe or device instead of a file. */
export interface Unusable {
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
  const unusable: Unusable[] = []
  /** `links` are the real paths of linked folders on the way here, to stop at cycles. */
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
      unusable.push({ path: folder, problem: problemOf(error) })
      return []
    }
  }
  function visitOther(path: string, links: readonly string[]): void {
    try {
      const status = statSync(path)
      if (status.isDirectory()) {
        const real = realpathSync(path)
        if (!links.some(each => each === real)) walk(path, [...links, real])
      } else if (isResourceName(path)) {
        assertFile(path, status)
        files.push(path)
      }
    } catch (error) {
      // A link without an extension may lead to a folder.
      if (isResourceName(path) || extname(path) === '') unusable.push({ path, problem: problemOf(error) })
    }
  }
  function addFile(path: string): void {
    if (isResourceName(path)) files.push(path)
  }
  walk(root, [])
  return { files, unusable }
}

function isResourceName(path: string): boolean {
  return ['.yaml', '.yml', '.json', '.csv'].includes(extname(path))
}

/** Words for a path that cannot be read. */
export function problemOf(error: unknown): string {
  const code = codeOf(error) ?? ''
  if (code === 'ENOTFILE') return reasonOf(error).replace(/^it is/, 'this is')
  return problems[code] ?? `this cannot be read: ${fileReasonOf(error)}`
}

const problems: Readonly<Record<string, string>> = {
  EACCES: 'this folder cannot be read: permission denied',
  EPERM: 'this folder cannot be read: permission denied',
  ENOENT: 'this is a link to a file or folder that does not exist',
  ENOTDIR: 'this is a link to a file or folder that does not exist',
  ELOOP: 'this is a link that leads to itself',
}
