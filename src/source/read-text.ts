import { isUtf8 } from 'node:buffer'
// `promises` loads lazily, unlike node:fs/promises.
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
import { getErrorCode, getErrorReason } from '../lib/error.ts'
import { describeFileError } from '../lib/fs/file-error.ts'
import { openFile } from '../lib/fs/read-file.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import { byteOrderMark, type ParseError, type SourceHint } from './diagnostic.ts'

/** More than any resource needs, and small enough to hold in memory. */
export const maxFileBytes = 50 * 1024 * 1024
/** Limit including content written by callwright. */
export const maxOwnFileBytes = 3 * maxFileBytes
export const fileTooLarge: ParseError = {
  code: 'too-large',
  message: `the file is larger than ${maxFileBytes / 1024 ** 2} MB`,
}

/** `partial` is the text decoded leniently, to locate the error in. */
interface Unreadable {
  readonly error: ParseError
  readonly partial?: string
}

type Decoder = (bytes: Buffer) => { readonly text: string } | Unreadable

/**
 * Reads a UTF-8 text file, or another one with `decode`. Keeps a byte order mark, so that offsets are those of the file. Problems with the file are returned,
 * never thrown. `exactPath` rejects links (in any part of the path), pipes and devices.
 */
export async function readText(
  path: string,
  {
    exactPath = false,
    maxBytes = maxFileBytes,
    decode = decodeUtf8,
  }: { readonly exactPath?: boolean; readonly maxBytes?: number; readonly decode?: Decoder | undefined } = {},
): Promise<{ readonly text: string } | Unreadable> {
  try {
    const regular = exactPath ? undefined : readRegular(path, maxBytes)
    if (regular !== undefined) return decode(regular)
    const { handle, status } = await openFile(path, exactPath ? noLink : 0)
    try {
      if (exactPath && !(await isExactPath(handle, path))) return { error: notRegular }
      const bytes = await readBytes({ handle, status, path }, maxBytes)
      return bytes === undefined ? { error: fileTooLarge } : decode(bytes)
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

function decodeUtf8(bytes: Buffer): { text: string } | Unreadable {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return { error: utf16 }
  const nul = bytes.indexOf(0)
  if (nul !== -1) {
    // In UTF-16 without a byte order mark, every other byte of ASCII text is zero.
    const alternate = bytes.length > 3 && (first === 0) !== (second === 0)
    if (alternate) return { error: utf16 }
    return { error: { code: 'binary-file', message: 'the file is binary, not text' } }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return invalidUtf8(bytes)
  }
}

/**
 * Decodes a file as spreadsheet programs export it: UTF-8, UTF-16 with a byte order mark, or else Windows-1252. The workbook itself is
 * rejected.
 */
export function decodeExport(bytes: Buffer): { readonly text: string } | Unreadable {
  const beginning = bytes.toString('latin1', 0, 4)
  if (beginning === 'PK\u0003\u0004' || beginning === '\u00d0\u00cf\u0011\u00e0') return { error: workbook }
  if (beginning.startsWith('\u00ff\u00fe')) return { text: new TextDecoder('utf-16le').decode(bytes) }
  if (beginning.startsWith('\u00fe\u00ff')) return { text: new TextDecoder('utf-16be').decode(bytes) }
  if (isUtf8(bytes) || bytes.includes(0)) return decodeUtf8(bytes)
  return { text: new TextDecoder('windows-1252').decode(bytes) }
}

const workbook: ParseError = {
  code: 'workbook',
  message: 'this is a spreadsheet workbook, not text',
  hint: 'open it in the spreadsheet program and save the sheet as CSV UTF-8 (.csv)',
}

const utf16: ParseError = { code: 'wrong-encoding', message: 'the file is UTF-16', hint: 'save it as UTF-8' }

function invalidUtf8(bytes: Buffer): Unreadable {
  const lossy = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  let offset = lossy.indexOf('\uFFFD')
  let byte = Buffer.byteLength(lossy.slice(0, offset))
  // The file may really contain U+FFFD (EF BF BD).
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

async function toParseError(error: unknown, path: string): Promise<ParseError> {
  const code = getErrorCode(error) ?? ''
  if (code === 'ENOENT') return missingFile(path)
  if (code === 'ENOTFILE') return notAFile(getErrorReason(error))
  return (
    errorsByCode[code] ?? {
      code: 'unreadable',
      message: `the file cannot be read: ${describeFileError(error)}`,
    }
  )
}

function notAFile(message: string): ParseError {
  const text = message.replace(/^it is/, 'this is')
  if (text === 'this is a folder, not a file')
    return { code: 'is-a-folder', message: text, hint: 'name a file in it' }
  return { code: 'not-a-file', message: text }
}

const errorsByCode: Readonly<Record<string, ParseError>> = {
  ENOTDIR: { code: 'missing-file', message: 'no such file: part of the path is a file, not a folder' },
  EACCES: { code: 'unreadable', message: 'the file cannot be read: permission denied' },
  EPERM: { code: 'unreadable', message: 'the file cannot be read: permission denied' },
  ELOOP: { code: 'unreadable', message: 'the file is a symbolic link to itself' },
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

export type Included =
  /** `path` is the real path: relative to `folder` with `/`, or absolute if outside it. */
  { readonly text: string; readonly path: string } | Unreadable

export interface IncludeRules {
  /** Absolute path; included paths are relative to its folder. */
  readonly includingFile: string
  /** Absolute folder that included files must be in, after following links. */
  readonly folder: string
  /** Also allows hidden files, and files in hidden folders, inside `folder`. */
  readonly allowOutsideFiles: boolean
  readonly decode?: Decoder | undefined
}

/**
 * Reads the file of a `${file:path}`. Never opens a file that is hidden or outside the folder, directly or through a link.
 * Problems with the file are returned, never thrown.
 */
export async function readIncluded(
  name: string,
  { includingFile, folder, allowOutsideFiles, decode }: IncludeRules,
): Promise<Included> {
  const path = resolve(dirname(includingFile), name)
  const realFolder = await promises.realpath(folder).catch(() => folder)
  if (!allowOutsideFiles) {
    const relativePath = [folder, realFolder].map(each => relative(each, path)).find(isBelow)
    if (relativePath === undefined) return outside(folder)
    if (isHidden(relativePath)) return hidden
  }
  const real = await promises.realpath(path).catch(() => undefined)
  // The reader explains why it is missing.
  const relativeRealPath = real === undefined ? '' : relative(realFolder, real)
  if (real === undefined) return toIncluded(await readText(path, { decode }), relativeRealPath)
  const isOutside = !isBelow(relativeRealPath)
  if (isOutside && !allowOutsideFiles) return outside(folder)
  if (isHidden(relativeRealPath) && !allowOutsideFiles) return hidden
  if (/^\/(?:proc|sys|dev)\//.test(real)) return systemFile
  const displayPath = isOutside ? real : relativeRealPath.replaceAll(sep, '/')
  const content = toIncluded(await readText(real, { exactPath: true, decode }), displayPath)
  if (!('text' in content)) return content
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

const hidden: Included = {
  error: {
    code: 'hidden-file',
    message: 'the file is hidden, or in a hidden folder',
    hint: 'allow-hidden' satisfies SourceHint,
  },
}

function outside(folder: string): Included {
  const hint = 'allow-outside-files' satisfies SourceHint
  return { error: { code: 'outside-file', message: `the file is outside ${folder}`, hint } }
}

const systemFile: Included = {
  error: { code: 'missing-file', message: 'this is a device or system file, not a text file' },
}

function toIncluded(read: Awaited<ReturnType<typeof readText>>, path: string): Included {
  if ('text' in read)
    return { text: read.text.startsWith(byteOrderMark) ? read.text.slice(1) : read.text, path }
  const { message, hint } = read.error
  return { error: { code: 'missing-file', message, hint } }
}
