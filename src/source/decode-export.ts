import { isUtf8 } from 'node:buffer'
import type { ParseError } from './diagnostic.ts'
import { binary, type Unreadable } from './read-text.ts'

/**
 * Decodes a file as spreadsheet programs export it: UTF-8, UTF-16 with a byte order mark, or else Windows-1252. Returns UTF-8 without a
 * byte order mark, because a string has at most half a gigabyte. The workbook itself is
 * rejected.
 */
export function decodeExport(bytes: Buffer): { readonly utf8: Buffer } | Unreadable {
  const beginning = bytes.toString('latin1', 0, 4)
  if (beginning === 'PK\u0003\u0004' || beginning === '\u00d0\u00cf\u0011\u00e0') return { error: workbook }
  if (beginning.startsWith('\u00ff\u00fe')) return withoutZeros(transcode(bytes, 'utf-16le'))
  if (beginning.startsWith('\u00fe\u00ff')) return withoutZeros(transcode(bytes, 'utf-16be'))
  if (bytes.includes(0)) return withoutZeros(bytes)
  if (!isUtf8(bytes)) return { utf8: transcode(bytes, 'windows-1252') }
  return { utf8: beginning.startsWith('\u00ef\u00bb\u00bf') ? bytes.subarray(3) : bytes }
}

function withoutZeros(utf8: Buffer): ReturnType<typeof decodeExport> {
  const offset = utf8.indexOf(0)
  if (offset === -1) return { utf8 }
  const error = binary(utf8)
  if (error.code !== 'binary-file') return { error }
  const partial = utf8.toString('utf8', 0, offset)
  return { partial, error: { ...error, hint: 'there is a zero byte here', offset: partial.length } }
}

const transcodedBytes = 1 << 20

function transcode(bytes: Buffer, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding)
  const parts: Buffer[] = []
  for (let start = 0; start < bytes.length; start += transcodedBytes)
    parts.push(Buffer.from(decoder.decode(bytes.subarray(start, start + transcodedBytes), { stream: true })))
  return Buffer.concat([...parts, Buffer.from(decoder.decode())])
}

const workbook: ParseError = {
  code: 'workbook',
  message: 'this is a spreadsheet workbook, not text',
  hint: 'open it in the spreadsheet program and save the sheet as CSV UTF-8 (.csv)',
}
