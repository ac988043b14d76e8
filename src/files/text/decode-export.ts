import { isAscii, isUtf8 } from 'node:buffer'
import { lazy } from '../../lib/lazy.ts'
import {
  type DecodedText,
  decodeText,
  encodeText,
  findMark,
  findUnicode,
  type OtherEncoding,
  type TextError,
  type Undecodable,
} from './decode-text.ts'
import { lineNumbers, type Position } from './position.ts'
import { createTextDecoder } from './text-decoder.ts'

export interface DecodedExport {
  /** Without a byte order mark. Not a string, which has at most half a gigabyte. */
  readonly utf8: Buffer
  /** Name of the encoding in the WHATWG Encoding Standard. */
  readonly encoding: string
  readonly doubt?: EncodingDoubt | undefined
}

/** A warning with the first word that another encoding could read differently. None for an encoding that the user named. */
export interface EncodingDoubt {
  readonly code: 'guessed-encoding' | 'double-encoded'
  readonly message: string
  /** Undefined if the encoding can be named. */
  readonly hint?: string | undefined
  readonly position: Position
  readonly details?: OtherEncoding
}

/**
 * Decodes a table as spreadsheet programs export it: Unicode, else the `encoding` that the user names, else the one that the words
 * suggest, which is Windows-1252 by default. A byte that the encoding does not define is an error, without a hint if another encoding may be meant,
 * and so is a workbook.
 */
export async function decodeExport(
  bytes: Buffer,
  { encoding: named }: { readonly encoding?: string | undefined } = {},
): Promise<DecodedExport | Undecodable> {
  if (isWorkbook(bytes)) return { error: workbook }
  if (isDocument.test(bytes.toString('latin1', 0, 64))) return { error: markup }
  const unicode = findUnicode(bytes)
  if (unicode === 'utf-16le' || unicode === 'utf-16be') return withGarbledWord(transcode(bytes, unicode))
  const isText = !bytes.includes(0)
  // ISO-2022-JP has no byte above 0x7f.
  const isNamed = named !== undefined && isAscii(bytes)
  if (isText && !isNamed && isUtf8(bytes))
    return withGarbledWord({ utf8: bytes.subarray(findMark(bytes) === undefined ? 0 : 3), encoding: 'utf-8' })
  if (!isText || unicode === 'utf-8') {
    const decoded = decodeText(bytes)
    if ('error' in decoded) return decoded
  }
  const namedDecoding = named === undefined ? undefined : transcode(bytes, named)
  if (namedDecoding !== undefined && !('error' in namedDecoding)) return namedDecoding
  const { guessEncoding } = await import('./guess-encoding.ts')
  const guess = guessEncoding(bytes)
  const decoded = namedDecoding ?? transcode(bytes, guess.encoding)
  if (!('error' in decoded))
    return { ...decoded, doubt: { ...findDoubt(decoded), details: { otherEncoding: guess.other } } }
  const isOther = named !== undefined && guess.encoding !== createTextDecoder(named).encoding
  const details = { otherEncoding: isOther ? guess.encoding : guess.other }
  return { ...decoded, error: { ...decoded.error, details } }
}

/** Text of a table, to which ids are added. */
export interface DecodedTable extends DecodedText {
  readonly doubt?: EncodingDoubt | undefined
}

/** Decodes a table as decodeExport does, and keeps a byte order mark, so that offsets are those of the file. */
export async function decodeTable(
  bytes: Buffer,
  options?: { readonly encoding?: string | undefined },
): Promise<DecodedTable | Undecodable> {
  const decoded = await decodeExport(bytes, options)
  if ('error' in decoded) return decoded
  const { utf8, encoding, doubt } = decoded
  const read = encoding.startsWith('utf-') ? decodeText(bytes) : { text: utf8.toString(), encoding }
  return 'error' in read ? read : { ...read, doubt }
}

function isWorkbook(bytes: Buffer): boolean {
  const beginning = bytes.toString('latin1', 0, 4)
  return beginning === 'PK\u0003\u0004' || beginning === '\u00d0\u00cf\u0011\u00e0'
}

const workbook: TextError = {
  code: 'workbook',
  message: 'this is a spreadsheet workbook, not text',
  hint: 'open it in the spreadsheet program and save the sheet as CSV UTF-8 (.csv)',
}

/** Exports with the extension of a table are often tables in HTML. */
const isDocument = /^(?:\xef\xbb\xbf)?\s*(?:<(?:!doctype|html|table|\?xml|meta)\b|<!--|\{\\rtf)/i

const markup: TextError = {
  code: 'workbook',
  message: 'this is an HTML, XML or RTF document, not a table of text',
  hint: workbook.hint,
}

const sliceBytes = 1 << 20

function transcode(bytes: Buffer, label: string): DecodedExport | Undecodable {
  const decoder = createTextDecoder(label)
  const { encoding } = decoder
  const damage = encoding.startsWith('utf-16') ? damagedUtf16 : undefinedCharacter
  const parts: Buffer[] = []
  for (let start = 0; start <= bytes.length; start += sliceBytes) {
    const slice = bytes.subarray(start, start + sliceBytes)
    const text = decoder.decode(slice, { stream: start + sliceBytes <= bytes.length })
    const offset = text.search(damage)
    if (offset !== -1)
      return damagedAfter(Buffer.concat([...parts, Buffer.from(text.slice(0, offset))]), {
        encoding,
        isZero: text[offset] === '\0',
      })
    parts.push(Buffer.from(text))
  }
  return { utf8: Buffer.concat(parts), encoding }
}

const damagedUtf16 = /[\0\uFFFD]/
/** Bytes that an encoding does not define become U+FFFD, C1 control characters, or characters for private use. */
const undefinedCharacter = /[\x80-\x9f\uE000-\uF8FF\uFFFD]/

function damagedAfter(
  utf8: Buffer,
  { encoding, isZero }: { readonly encoding: string; readonly isZero: boolean },
): Undecodable {
  return {
    error: {
      code: isZero ? 'binary-file' : 'wrong-encoding',
      message: isZero ? 'the file is binary, not text' : `this character is not valid in ${encoding}`,
      hint: isZero
        ? 'there is a zero byte here'
        : encoding.startsWith('utf-')
          ? 'save it as UTF-8'
          : undefined,
      position: endOf(utf8),
    },
  }
}

/** Finds the first word that is not ASCII. */
function findDoubt({ utf8, encoding }: DecodedExport): EncodingDoubt {
  let start = 0
  while (isAscii(utf8.subarray(start, start + sliceBytes))) start += sliceBytes
  start += utf8.subarray(start).findIndex(byte => byte > 0x7f)
  const [before = ''] = /[^\s,;"]*$/.exec(utf8.toString('utf8', Math.max(0, start - maxExample), start)) ?? []
  const [after = ''] = /^[^\s,;"]*/.exec(utf8.toString('utf8', start, start + maxExample)) ?? []
  const example = (before + after).replace(/\uFFFD+$/, '')
  return {
    code: 'guessed-encoding',
    message: `read as ${encoding}, as in “${example}”`,
    position: endOf(utf8.subarray(0, start - before.length)),
  }
}

/** Letters and symbols as which Windows-1252 shows the bytes of a letter or quote in UTF-8. */
const garbled = lazy(
  () => /[\p{L}\p{M}]*(?:[\u00c2-\u00c5][¡-ª¬-º¼-¿‚„‡™›ˆ]|â€[^\p{L}\s]|(?:[ÐÑ][^\p{L}\s]){2})[^\s,;"]*/u,
)

/** Warns about UTF-8 that a program read as Windows-1252, and saved as UTF-8 again. Looks at the beginning, which is enough. */
function withGarbledWord(decoded: DecodedExport | Undecodable): DecodedExport | Undecodable {
  if ('error' in decoded || isAscii(decoded.utf8)) return decoded
  const text = decoded.utf8.toString('utf8', 0, sliceBytes)
  const { 0: example = '', index = 0 } = garbled().exec(text) ?? {}
  const original = example === '' ? undefined : undoWindows(example)
  if (original === undefined) return decoded
  const doubt: EncodingDoubt = {
    code: 'double-encoded',
    message: `“${example}” may be “${original}”: UTF-8 that was read as windows-1252, and saved again`,
    hint: 'export the table again from where its letters are right, as CSV UTF-8',
    position: endOf(Buffer.from(text.slice(0, index))),
  }
  return { ...decoded, doubt }
}

function undoWindows(text: string): string | undefined {
  try {
    const bytes = encodeText(text, 'windows-1252')
    return isUtf8(bytes) ? bytes.toString() : undefined
  } catch {
    return undefined
  }
}

/** Bytes on each side. */
const maxExample = 40

/** Position of the text's end. */
function endOf(utf8: Buffer): Position {
  const [line = 1] = lineNumbers(utf8, [utf8.length])
  const start = Math.max(utf8.lastIndexOf('\n'), utf8.lastIndexOf('\r')) + 1
  return { line, column: utf8.toString('utf8', start).length + 1 }
}
