import { isUtf8 } from 'node:buffer'
import { decodeText, findMark } from './decode-text.ts'
import { withoutMark } from './position.ts'
import { createTextDecoder } from './text-decoder.ts'

/**
 * Returns the text of a response: Unicode, else in the charset of its `contentType`, else as a guess Windows-1252, in which old gateways
 * send error pages.
 */
export function decodeResponse(
  bytes: Buffer,
  contentType?: string,
): { readonly text: string; readonly isGuess: boolean } {
  const decoded = decodeText(bytes)
  if ('text' in decoded) return { text: withoutMark(decoded.text), isGuess: false }
  // Damaged, or with a zero character.
  const unicode = findMark(bytes) ?? (isUtf8(bytes) ? 'utf-8' : undefined)
  const text = decodeAs(unicode ?? charsetOf(contentType) ?? '', bytes)
  return { text: text ?? decodeAs('windows-1252', bytes) ?? '', isGuess: text === undefined }
}

/** Returns the charset of a content type in lower case. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset="?([\w.:-]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase()
}

/** Strips the byte order mark and replaces invalid bytes with U+FFFD; undefined for an unknown charset. */
export function decodeAs(charset: string, bytes: Buffer): string | undefined {
  try {
    return createTextDecoder(charset).decode(bytes)
  } catch {
    return undefined
  }
}
