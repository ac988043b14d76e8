import { mkdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { getErrorCode } from '../error.ts'

/**
 * Creates a folder and the missing folders above it, all with this mode. The recursive mkdir of Node never returns where an existing
 * folder cannot contain others and reports ENOENT, as /proc does.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const parent = dirname(path)
  try {
    await createFolder(path, mode)
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent, mode)
    await createFolder(path, mode)
  }
}

async function createFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { mode }).catch(async error => {
    if (!(await isFolder(path))) throw error
  })
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    entry => entry.isDirectory(),
    () => false,
  )
}

/** True if a path, which need not exist, leads into a folder after resolving links. */
export async function leadsInto(folder: string, path: string): Promise<boolean> {
  const way = relative(await leadsTo(folder), await leadsTo(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Returns the absolute path that a path leads to after resolving links; parts that do not exist stay as they are. */
async function leadsTo(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const parent = dirname(path)
    return parent === path ? path : join(await leadsTo(parent), basename(path))
  })
}
