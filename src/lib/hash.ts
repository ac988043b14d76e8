import { createHash, hash } from 'node:crypto'
import { chunksOf } from './text/chunks.ts'

/** Longer texts are hashed in parts: at once, a second copy of a text is made in UTF-8. */
const maxWholeLength = 1_000_000

/** SHA-256 of bytes, or of a text in UTF-8; base64url. */
export function hashContent(content: string | Buffer): string {
  if (typeof content !== 'string' || content.length <= maxWholeLength)
    return hash('sha256', content, 'base64url')
  const hasher = createHash('sha256')
  for (const chunk of chunksOf(content)) hasher.update(chunk)
  return hasher.digest('base64url')
}

/** The first twelve characters of the hash, 72 bits: short, and no two of a million texts share it. */
export function digest(text: string): string {
  return hashContent(text).slice(0, 12)
}
