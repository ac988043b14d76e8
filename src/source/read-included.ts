import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { SourceHint } from './diagnostic.ts'
import { byteOrderMark } from './parsed.ts'
import { readText } from './read-text.ts'

/** The text of a file that another one includes, or why there is none. */
export type Included =
  /** `outside`: where the file lies, absolute, when that is not in `folder`. */
  | { readonly text: string; readonly outside?: string | undefined }
  | { readonly problem: string; readonly hint?: string | undefined; readonly code?: string }

export interface IncludeRules {
  /** Absolute path of the file that includes; paths are relative to its folder. */
  readonly holder: string
  /** Included files lie in it, after all links are followed. Absolute. */
  readonly folder: string
  readonly allowOutside: boolean
}

/**
 * Reads what `${file:path}` names. A path that leads out of the folder, by itself or by a link, is not even looked at.
 * Never throws for what is wrong with the file.
 */
export async function readIncluded(
  name: string,
  { holder, folder, allowOutside }: IncludeRules,
): Promise<Included> {
  const path = resolve(dirname(holder), name)
  const home = await realpath(folder).catch(() => folder)
  if (!allowOutside && !isInside(path, folder) && !isInside(path, home)) return outside(folder)
  const real = await realpath(path).catch(() => undefined)
  // What is not there is explained by the reader.
  if (real === undefined) return contentOf(await readText(path))
  const isOutside = !isInside(real, home)
  if (isOutside && !allowOutside) return outside(folder)
  if (/^\/(?:proc|sys|dev)\//.test(real)) return notAFile
  const content = contentOf(await readText(real, { alone: true }))
  if (!('text' in content)) return content
  // A link may have been put into the path after it was followed: the text counts only if the path still leads to it.
  if (!allowOutside && (await realpath(path).catch(() => undefined)) !== real) return outside(folder)
  return isOutside ? { ...content, outside: real } : content
}

/** Whether a path, by its words alone, lies in a folder or is it. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function outside(folder: string): Included {
  return {
    code: 'outside-file',
    problem: `it lies outside of ${folder}`,
    hint: 'allow-outside' satisfies SourceHint,
  }
}

const notAFile: Included = { problem: 'this is a device or a file of the system, not a text file' }

function contentOf(read: Awaited<ReturnType<typeof readText>>): Included {
  if ('text' in read) return { text: read.text.startsWith(byteOrderMark) ? read.text.slice(1) : read.text }
  return { problem: read.error.message, hint: read.error.hint }
}
