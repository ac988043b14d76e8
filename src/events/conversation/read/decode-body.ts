import { isUtf8 } from 'node:buffer'
import { charsetOf, decodeAs, findMark, guessUtf16 } from '../../../files/text/index.ts'

/** Headers that describe the encoding of a body. */
export interface BodyHeaders {
  readonly 'content-type'?: string | undefined
  readonly 'content-encoding'?: string | undefined
}

/** Difference from a single JSON object in UTF-8. */
export type BodyForm = 'compressed' | 'byte-order-mark' | 'charset' | 'invalid-utf-8' | 'list' | 'form'

export interface DecodedText {
  readonly text: string
  readonly forms: readonly BodyForm[]
}

/** Possible decodings of the bytes, most likely first. */
export function* decodeText(bytes: Buffer, contentType: string | undefined): Generator<DecodedText> {
  const marked = findMark(bytes)
  if (marked !== undefined) yield { text: decodeAs(marked, bytes) ?? '', forms: ['byte-order-mark'] }
  for (const name of [charsetOf(contentType), guessUtf16(bytes)]) {
    if (name === undefined || name === 'utf-8' || name === 'utf8') continue
    const text = decodeAs(name, bytes)
    if (text !== undefined) yield { text, forms: ['charset'] }
  }
  yield { text: decodeAs('utf-8', bytes) ?? '', forms: isUtf8(bytes) ? [] : ['invalid-utf-8'] }
}
