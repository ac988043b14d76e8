import { lstat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { CallyardError, describeFileError, getErrorCode } from '../../lib/error.ts'
import { isFolder, leadsInto, makeFolder } from '../../lib/fs/make-folder.ts'
import { writeNewFile } from '../../lib/fs/replace-file.ts'
import { type Advice, suggest } from '../shell/advice.ts'

export type WrittenProject = Awaited<ReturnType<typeof writeProject>>

interface WriteOptions {
  readonly signal?: AbortSignal
  /** Links to folders of the files, path → folder. Where the file system has no links, the files are copied. */
  readonly links?: Readonly<Record<string, string>>
  readonly link?: (target: string, path: string) => Promise<void>
}

/**
 * Writes files (path → content) into a folder, and creates the folder if it is missing. Never changes an existing file, and writes each
 * file completely or not at all. `kept`: files and links that existed before.
 * @throws CallyardError `usage` if a file cannot be written, `cancelled` between two files; `details` lists the written files.
 */
export async function writeProject(
  folder: string,
  files: Readonly<Record<string, string>>,
  { signal, links = {}, link = linkFolder }: WriteOptions = {},
) {
  const written: string[] = []
  const kept: string[] = []
  const details = { folder, written, kept }
  const stopIfCancelled = () => {
    if (signal?.aborted !== true) return
    const writtenText = `${written.length + kept.length} of ${Object.keys({ ...files, ...links }).length}`
    throw new CallyardError('cancelled', `cancelled; ${writtenText} files were written`, {
      hint: 'run it again to write the rest',
      details,
    })
  }
  const notDone = (action: string, cause: unknown) =>
    new CallyardError('usage', `cannot ${action}`, { ...nextStep(cause), details, cause })
  // All folders first: where one cannot be made, no file is written either.
  for (const part of new Set(Object.keys({ ...files, ...links }).map(dirname))) {
    stopIfCancelled()
    const path = join(folder, part)
    if (!(await leadsInto(folder, path)))
      throw notDone(`write to ${path}: a link leads outside of the folder`, undefined)
    await makeFolder(path).catch(async error => {
      throw notDone(`make the folder ${path}: ${await whyNoFolder(path, error)}`, error)
    })
  }
  const put = async (name: string, write: (path: string) => Promise<boolean>) => {
    stopIfCancelled()
    const path = join(folder, name)
    const isNew = await write(path).catch(error => {
      throw notDone(`write ${path}: ${describeFileError(error)}`, error)
    })
    ;(isNew ? written : kept).push(name)
  }
  for (const [name, content] of Object.entries(files)) await put(name, path => putNew(path, content))
  for (const [name, target] of Object.entries(links)) {
    stopIfCancelled()
    const isNew = await makeLink(join(folder, target), join(folder, name), link)
    if (isNew !== undefined) (isNew ? written : kept).push(name)
    else
      for (const [file, content] of Object.entries(files).filter(([file]) => file.startsWith(`${target}/`))) {
        const copy = join(name, file.slice(target.length))
        await put(copy, async path => {
          await makeFolder(dirname(path))
          return putNew(path, content)
        })
      }
  }
  return { written, kept }
}

/** False if something else is there already; undefined if it is a folder, or if links do not work here: the files are copied. */
async function makeLink(
  target: string,
  path: string,
  link: NonNullable<WriteOptions['link']>,
): Promise<boolean | undefined> {
  const entry = await lstat(path).catch(() => undefined)
  if (entry !== undefined) return entry.isDirectory() ? undefined : false
  return link(relative(dirname(path), target), path).then(
    () => true,
    error => (getErrorCode(error) === 'EEXIST' ? false : undefined),
  )
}

/** Windows makes a folder link only for some users, and needs the type. */
function linkFolder(target: string, path: string): Promise<void> {
  return symlink(target, path, 'dir')
}

/** False where something is there already, a link that leads nowhere included. */
async function putNew(path: string, content: string): Promise<boolean> {
  return !(await isThere(path)) && writeNewFile(path, content)
}

async function isThere(path: string): Promise<boolean> {
  const entry = await lstat(path).catch(error => {
    if (getErrorCode(error) !== 'ENOENT') throw error
  })
  if (entry?.isDirectory()) throw new Error('a folder with that name exists')
  return entry !== undefined
}

/** Names the part of the path that is not a folder; otherwise returns the system's reason. */
async function whyNoFolder(path: string, error: unknown): Promise<string> {
  const entry = await lstat(path).catch(() => undefined)
  if (entry === undefined)
    return path === dirname(path) ? describeFileError(error) : whyNoFolder(dirname(path), error)
  if (await isFolder(path)) return describeFileError(error)
  return `${path} is ${entry.isSymbolicLink() ? 'a link that leads to no folder' : 'a file'}`
}

function nextStep(error: unknown): Advice {
  const code = getErrorCode(error) ?? ''
  if (['ENOSPC', 'EDQUOT'].includes(code))
    return { hint: 'free some space and run it again: it writes what is missing' }
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return suggest`choose a folder that you may write to: ${['init', '<dir>']}`
  return suggest`move away what is there, or choose another folder: ${['init', '<dir>']}`
}
