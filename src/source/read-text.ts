// `promises` is loaded by its first use, node:fs/promises at once.
import {
  closeSync,
  constants,
  fstatSync,
  open,
  openSync,
  promises,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, reasonOf } from '../lib/error.ts'
import { fileReasonOf } from '../lib/fs/file-error.ts'
import { openFile } from '../lib/fs/read-file.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import { byteOrderMark, type ParseError, type SourceHint } from './diagnostic.ts'

/** 50 MB: more than any resource, little enough to hold in memory. */
export const maxFileBytes = 50 * 1024 * 1024
/** Limit including content written by callwright. */
export const maxOwnFileBytes = 3 * maxFileBytes
export const fileTooLarge: ParseError = {
  code: 'too-large',
  message: `the file is larger than ${maxFileBytes / 1024 ** 2} MB`,
}

/** What could not be read, and the text up to there when that says where. */
interface Unreadable {
  readonly error: ParseError
  readonly partial?: string
}

/**
 * The whole of a UTF-8 text file, exactly: a byte order mark stays the first character, so that offsets hold.
 * Never throws for what is wrong with the file: it is returned as a flaw. `alone` reads nothing but a regular file that
 * stands at this very path: no link, no pipe, no device.
 */
export async function readText(
  path: string,
  { alone = false, maxBytes = maxFileBytes }: { readonly alone?: boolean; readonly maxBytes?: number } = {},
): Promise<{ readonly text: string } | Unreadable> {
  try {
    const regular = alone ? undefined : readRegular(path, maxBytes)
    if (regular !== undefined) return decode(regular)
    const { handle, status } = await openFile(path, alone ? noLink : 0)
    try {
      if (alone && !(await isAlone(handle, path))) return { error: notRegular }
      const bytes = await readBytes({ handle, status, path }, maxBytes)
      return bytes === undefined ? { error: fileTooLarge } : decode(bytes)
    } finally {
      await handle.close()
    }
  } catch (error) {
    return { error: await readingFailed(error, path) }
  }
}

/** A pipe of the shell without a writer must not hold the process, which cannot end while it waits for the disk. */
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const noLink = constants.O_NOFOLLOW ?? 0

/**
 * The bytes of a regular file of no more than is read; undefined for anything else. At once: each wait for the disk takes
 * longer than the files of a project do.
 */
function readRegular(path: string, maxBytes: number): Buffer | undefined {
  if (!statSync(path).isFile()) return undefined
  const file = openSync(path, withoutWaiting)
  try {
    const status = fstatSync(file)
    return status.isFile() && status.size <= maxBytes ? readFileSync(file) : undefined
  } finally {
    closeSync(file)
  }
}

/** A folder of the path may have become a link since it was followed: what was opened must be what is there without links. */
async function isAlone(handle: FileHandle, path: string): Promise<boolean> {
  const [opened, there, real] = await Promise.all([
    handle.stat({ bigint: true }),
    promises.lstat(path, { bigint: true }),
    promises.realpath(path),
  ])
  return opened.isFile() && opened.dev === there.dev && opened.ino === there.ino && real === path
}

const notRegular: ParseError = {
  code: 'unreadable',
  message: 'this is a pipe, a device or a link, not a text file',
}

/** Undefined when there is more than may be read. Pipes and devices have no size to ask for, so all are counted. */
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

/** A pipe is read as a socket is, by waiting for its events. */
async function openPipe(path: string): Promise<NodeJS.ReadableStream> {
  const [{ Socket }, fd] = await Promise.all([import('node:net'), promisify(open)(path, withoutWaiting)])
  return new Socket({ fd, readable: true, writable: false })
}

function decode(bytes: Buffer): { text: string } | Unreadable {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return { error: utf16 }
  const nul = bytes.indexOf(0)
  if (nul !== -1) {
    // UTF-16 without a mark has a zero beside each of its ASCII characters, in the odd or the even places.
    const alternate = bytes.length > 3 && (first === 0) !== (second === 0)
    if (alternate) return { error: utf16 }
    return { error: { code: 'binary-file', message: 'the file is binary, not text' } }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return wrongBytes(bytes)
  }
}

const utf16: ParseError = { code: 'wrong-encoding', message: 'the file is UTF-16', hint: 'save it as UTF-8' }

function wrongBytes(bytes: Buffer): Unreadable {
  const lossy = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  let offset = lossy.indexOf('\uFFFD')
  let byte = Buffer.byteLength(lossy.slice(0, offset))
  // A replacement character that really stands in the file is three bytes and no error.
  while (offset !== -1 && bytes.readUIntBE(byte, Math.min(3, bytes.length - byte)) === 0xefbfbd) {
    const next = lossy.indexOf('\uFFFD', offset + 1)
    byte += Buffer.byteLength(lossy.slice(offset, next === -1 ? undefined : next))
    offset = next
  }
  const found = bytes[byte]?.toString(16).padStart(2, '0')
  return {
    partial: lossy,
    error: {
      code: 'wrong-encoding',
      message: `the file is not UTF-8: byte 0x${found ?? '00'} at offset ${byte}`,
      hint: 'save it as UTF-8',
      offset: Math.max(0, offset),
    },
  }
}

async function readingFailed(error: unknown, path: string): Promise<ParseError> {
  const code = codeOf(error) ?? ''
  if (code === 'ENOENT') return missingFile(path)
  if (code === 'ENOTFILE') return notAFile(reasonOf(error))
  return problems[code] ?? { code: 'unreadable', message: `the file cannot be read: ${fileReasonOf(error)}` }
}

function notAFile(message: string): ParseError {
  const said = message.replace(/^it is/, 'this is')
  if (said === 'this is a folder, not a file')
    return { code: 'is-a-folder', message: said, hint: 'name a file in it' }
  return { code: 'not-a-file', message: said }
}

const problems: Readonly<Record<string, ParseError>> = {
  ENOTDIR: { code: 'missing-file', message: 'no such file: a part of its path is a file, not a folder' },
  EACCES: { code: 'unreadable', message: 'the file may not be read: permission denied' },
  EPERM: { code: 'unreadable', message: 'the file may not be read: permission denied' },
  ELOOP: { code: 'unreadable', message: 'the file is a symbolic link that leads to itself' },
  ENAMETOOLONG: { code: 'missing-file', message: 'no such file: the name is too long' },
}

async function missingFile(path: string): Promise<ParseError> {
  const siblings = await promises.readdir(dirname(path)).catch(() => undefined)
  if (siblings === undefined)
    return { code: 'missing-file', message: 'no such file: its folder does not exist' }
  const meant = didYouMean(basename(path), siblings)
  return {
    code: 'missing-file',
    message: 'no such file',
    hint: meant === undefined ? undefined : `did you mean ${meant}?`,
  }
}

/** The text of a file that another one includes, or why there is none. */
export type Included =
  /** `path` is the real path: relative to `folder`, with `/`, or absolute if the file is outside. */
  { readonly text: string; readonly path: string } | Unreadable

export interface IncludeRules {
  /** Absolute path of the file that includes; paths are relative to its folder. */
  readonly holder: string
  /** Included files lie in it, after all links are followed. Absolute. */
  readonly folder: string
  /** Also allows hidden files, and files in hidden folders, inside `folder`. */
  readonly allowOutside: boolean
}

/**
 * Reads what `${file:path}` names. Never opens a path that leads out of the folder or to a hidden file, directly or through a link.
 * Does not throw for problems with the file.
 */
export async function readIncluded(
  name: string,
  { holder, folder, allowOutside }: IncludeRules,
): Promise<Included> {
  const path = resolve(dirname(holder), name)
  const home = await promises.realpath(folder).catch(() => folder)
  if (!allowOutside) {
    const way = [folder, home].map(each => relative(each, path)).find(isBelow)
    if (way === undefined) return outside(folder)
    if (isHidden(way)) return hidden
  }
  const real = await promises.realpath(path).catch(() => undefined)
  // What is not there is explained by the reader.
  const wayToReal = real === undefined ? '' : relative(home, real)
  if (real === undefined) return contentOf(await readText(path), wayToReal)
  const isOutside = !isBelow(wayToReal)
  if (isOutside && !allowOutside) return outside(folder)
  if (isHidden(wayToReal) && !allowOutside) return hidden
  if (/^\/(?:proc|sys|dev)\//.test(real)) return systemFile
  const place = isOutside ? real : wayToReal.replaceAll(sep, '/')
  const content = contentOf(await readText(real, { alone: true }), place)
  if (!('text' in content)) return content
  // A link may have been put into the path after it was followed: the text counts only if the path still leads to it.
  if (!allowOutside && (await promises.realpath(path).catch(() => undefined)) !== real) return outside(folder)
  return content
}

/** True if a relative path stays inside its base folder, judged by its text alone. */
function isBelow(way: string): boolean {
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** True for `.env`, `.git/config` and the like, which hold tool data and secrets and do not belong in prompts. */
function isHidden(way: string): boolean {
  return way.split(sep).some(name => name.startsWith('.') && name !== '..')
}

const hidden: Included = {
  error: {
    code: 'hidden-file',
    message: 'it is a hidden file, or below a hidden folder',
    hint: 'allow-hidden' satisfies SourceHint,
  },
}

function outside(folder: string): Included {
  const hint = 'allow-outside' satisfies SourceHint
  return { error: { code: 'outside-file', message: `it lies outside of ${folder}`, hint } }
}

const systemFile: Included = {
  error: { code: 'missing-file', message: 'this is a device or a file of the system, not a text file' },
}

function contentOf(read: Awaited<ReturnType<typeof readText>>, path: string): Included {
  if ('text' in read)
    return { text: read.text.startsWith(byteOrderMark) ? read.text.slice(1) : read.text, path }
  const { message, hint } = read.error
  return { error: { code: 'missing-file', message, hint } }
}
