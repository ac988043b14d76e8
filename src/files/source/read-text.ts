// `promises` loads lazily, unlike node:fs/promises.
import {
  closeSync,
  constants,
  fstatSync,
  open,
  openSync,
  promises,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { describeFileError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { stdinHint, stdinNotRead } from '../../lib/fs/extension.ts'
import { openFile } from '../../lib/fs/read-file.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import { maxFileBytes } from '../formats/file-limits.ts'
import { type DecodedText, decodeText, plainText } from '../text/index.ts'
import type { ParseError } from './diagnostic.ts'

export function fileTooLarge(
  maxBytes: number,
  hint = 'split it into several files, or check that this is the right file',
): ParseError {
  return { code: 'too-large', message: `the file is larger than ${maxBytes / 1024 ** 2} MB`, hint }
}

/** `partial` is the text decoded leniently, to locate the error in. */
export interface Unreadable {
  readonly error: ParseError
  readonly partial?: string | undefined
}

/** Rules for the bytes of a file. */
export interface Decoding<Content extends object> {
  readonly maxBytes: number
  /** Hint for a file that is larger. */
  readonly sizeHint?: string
  decode(bytes: Buffer): Content | Unreadable | Promise<Content | Unreadable>
}

interface PathRules {
  /** Rejects links (in any part of the path), pipes and devices. */
  readonly exactPath?: boolean
}

/** Reads a text file, as `decodeText` and `readDecoded` do. */
export function readText(
  path: string,
  { maxBytes = maxFileBytes, ...rules }: { readonly maxBytes?: number } & PathRules = {},
): Promise<DecodedText | Unreadable> {
  return readDecoded(path, { maxBytes, decode: decodeText }, rules)
}

/** Reads a file with `decode`. Problems with the file are returned, never thrown. */
export async function readDecoded<Content extends object>(
  path: string,
  { maxBytes, sizeHint, decode }: Decoding<Content>,
  { exactPath = false }: PathRules = {},
): Promise<Content | Unreadable> {
  try {
    const regular = exactPath ? undefined : readRegular(path, maxBytes)
    if (regular !== undefined) return await decode(regular)
    const { handle, status } = await openFile(path, exactPath ? noLink : 0)
    try {
      if (exactPath && !(await isExactPath(handle, path))) return { error: notRegular }
      const bytes = await readBytes({ handle, status, path }, maxBytes)
      return bytes === undefined ? { error: fileTooLarge(maxBytes, sizeHint) } : await decode(bytes)
    } finally {
      await handle.close()
    }
  } catch (error) {
    return { error: await toParseError(error, path) }
  }
}

/** Opening a pipe without a writer blocks a thread, and the process could not exit. */
const nonBlocking = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const noLink = constants.O_NOFOLLOW ?? 0

/**
 * Reads a regular file within the limit; returns undefined for anything else. Synchronous, because for the small files of a
 * project a promise takes longer than the read.
 */
function readRegular(path: string, maxBytes: number): Buffer | undefined {
  if (!statSync(path).isFile()) return undefined
  const file = openSync(path, nonBlocking)
  try {
    const status = fstatSync(file)
    return status.isFile() && status.size <= maxBytes ? readFileSync(file) : undefined
  } finally {
    closeSync(file)
  }
}

/** Returns the first bytes of a regular file as UTF-8; undefined if it cannot be read. */
export function readStart(path: string, bytes: number): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined
    const file = openSync(path, nonBlocking)
    try {
      const buffer = Buffer.alloc(bytes)
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, bytes, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/** True if the opened file is the one at the path without links; a folder may have been replaced by a link meanwhile. */
async function isExactPath(handle: FileHandle, path: string): Promise<boolean> {
  const [opened, current, real] = await Promise.all([
    handle.stat({ bigint: true }),
    promises.lstat(path, { bigint: true }),
    promises.realpath(path),
  ])
  return opened.isFile() && opened.dev === current.dev && opened.ino === current.ino && real === path
}

const notRegular: ParseError = {
  code: 'unreadable',
  message: 'this is a pipe, device or link, not a regular file',
  hint: 'name a regular file',
}

/** Returns undefined if the content exceeds the limit. Pipes and devices report no size, so their bytes are counted. */
async function readBytes(
  { handle, status, path }: { readonly handle: FileHandle; readonly status: Stats; readonly path: string },
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (status.size > maxBytes) return undefined
  if (status.isFile()) return handle.readFile()
  const chunks: Buffer[] = []
  let length = 0
  const stream = status.isFIFO() ? await openPipe(path) : handle.createReadStream({ autoClose: false })
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) return undefined
  }
  return Buffer.concat(chunks)
}

/** Reads a pipe as a socket, so that waiting for it does not block a thread. */
async function openPipe(path: string): Promise<NodeJS.ReadableStream> {
  const [{ Socket }, fd] = await Promise.all([import('node:net'), promisify(open)(path, nonBlocking)])
  return new Socket({ fd, readable: true, writable: false })
}

async function toParseError(error: unknown, path: string): Promise<ParseError> {
  const code = getErrorCode(error) ?? ''
  if (code === 'ENOENT') return missingFile(path)
  if (code === 'ENOTFILE') return notAFile(getErrorReason(error))
  return (
    errorsByCode[code] ?? {
      code: 'unreadable',
      message: `the file cannot be read: ${describeFileError(error)}`,
      hint: 'check the path, the permissions of the file and its disk',
    }
  )
}

function notAFile(message: string): ParseError {
  const text = message.replace(/^it is/, 'this is')
  if (text === 'this is a folder, not a file')
    return { code: 'is-a-folder', message: text, hint: 'name a file in it' }
  return { code: 'not-a-file', message: text, hint: 'name a regular file' }
}

const checkPath = 'check the path, which is relative to the working folder'
const checkIncludedPath = 'check the path, which is relative to the file that names it'

function missing(message: string, hint = checkPath): ParseError {
  return { code: 'missing-file', message, hint }
}

const notPermitted: ParseError = {
  code: 'unreadable',
  message: 'the file cannot be read: permission denied',
  hint: 'allow this user to read it',
}

const errorsByCode: Readonly<Record<string, ParseError>> = {
  ENOTDIR: missing('no such file: part of the path is a file, not a folder'),
  EACCES: notPermitted,
  EPERM: notPermitted,
  ELOOP: {
    code: 'unreadable',
    message: 'the file is a symbolic link to itself',
    hint: 'replace the link by the file',
  },
  ENAMETOOLONG: missing('no such file: the name is too long'),
}

async function missingFile(path: string): Promise<ParseError> {
  if (basename(path) === '-') return missing(stdinNotRead, stdinHint)
  const siblings = await promises.readdir(dirname(path)).catch(() => undefined)
  if (siblings === undefined) return missing('no such file: its folder does not exist')
  if (siblings.includes(basename(path)))
    return {
      code: 'unreadable',
      message: 'the file is a symbolic link to a file that does not exist',
      hint: 'restore that file, or replace the link',
    }
  return missing('no such file', meantHint(didYouMean(basename(path), siblings)))
}

export type Included<Content extends object = { readonly text: string }> =
  /** `path` is the real path: relative to `folder` with `/`, or absolute if outside it. */
  (Content & { readonly path: string }) | Unreadable

export interface IncludeRules {
  /** Absolute path; included paths are relative to its folder. */
  readonly includingFile: string
  /** Absolute folder that included files must be in, after following links. */
  readonly folder: string
  /** Also allows hidden files, and files in hidden folders, inside `folder`. */
  readonly allowOutsideFiles: boolean
}

/** Reads the file of a `${file:path}` as plain text. Otherwise as `readIncludedAs`. */
export async function readIncluded(name: string, rules: IncludeRules): Promise<Included> {
  const content = await readIncludedAs(name, rules, { maxBytes: maxFileBytes, decode: decodeText })
  if ('text' in content) return { path: content.path, text: plainText(content.text) }
  const { code, message, hint, position } = content.error
  const at = position === undefined ? '' : `line ${position.line}, column ${position.column}: `
  return { error: { code, message: at + message, hint } }
}

/**
 * Reads a file that another one names. Never opens a file that is hidden or outside the folder, directly or through a link.
 * Problems with the file are returned, never thrown.
 */
export async function readIncludedAs<Content extends object>(
  name: string,
  { includingFile, folder, allowOutsideFiles }: IncludeRules,
  decoding: Decoding<Content>,
): Promise<Included<Content>> {
  const path = resolve(dirname(includingFile), name)
  const realFolder = await promises.realpath(folder).catch(() => folder)
  if (!allowOutsideFiles) {
    const relativePath = [folder, realFolder].map(baseFolder => relative(baseFolder, path)).find(isBelow)
    if (relativePath === undefined) return outside(folder)
    if (isHidden(relativePath)) return hidden
  }
  const real = await promises.realpath(path).catch(() => undefined)
  // The reader explains why it is missing.
  const relativeRealPath = real === undefined ? '' : relative(realFolder, real)
  if (real === undefined) return withPath(await readDecoded(path, decoding), relativeRealPath)
  const isOutside = !isBelow(relativeRealPath)
  if (isOutside && !allowOutsideFiles) return outside(folder)
  if (isHidden(relativeRealPath) && !allowOutsideFiles) return hidden
  // Only /dev/shm has files of people, on a disk in memory.
  if (/^\/(?:proc|sys|dev(?!\/shm\/))\//.test(real)) return systemFile
  const displayPath = isOutside ? real : relativeRealPath.replaceAll(sep, '/')
  const content = withPath(await readDecoded(real, decoding, { exactPath: true }), displayPath)
  if ('error' in content) return content
  // The path may have changed since it was resolved; the text counts only if it still resolves to the same file.
  if (!allowOutsideFiles && (await promises.realpath(path).catch(() => undefined)) !== real)
    return outside(folder)
  return content
}

/** True if a relative path stays inside its base folder, without looking at the disk. */
function isBelow(path: string): boolean {
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/** True for paths such as `.env` and `.git/config`, whose secrets do not belong in prompts. */
function isHidden(path: string): boolean {
  return path.split(sep).some(name => name.startsWith('.') && name !== '..')
}

const hidden: Unreadable = {
  error: {
    code: 'hidden-file',
    message: 'the file is hidden, or in a hidden folder',
    hint: 'move it to a folder that is not hidden, under a name without a leading dot',
  },
}

function outside(folder: string): Unreadable {
  const hint = 'move it there'
  return { error: { code: 'outside-file', message: `the file is outside ${folder}`, hint } }
}

const systemFile: Unreadable = {
  error: {
    code: 'not-a-file',
    message: 'this is a device or system file, not a text file',
    hint: 'name a regular file',
  },
}

function withPath<Content extends object>(read: Content | Unreadable, path: string): Included<Content> {
  if (!('error' in read)) return { ...read, path }
  return read.error.hint === checkPath ? { ...read, error: { ...read.error, hint: checkIncludedPath } } : read
}
