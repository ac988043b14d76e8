import { hash } from 'node:crypto'

/** SHA-256 of bytes, or of a text in UTF-8; base64url. */
export function hashOf(content: string | Buffer): string {
  return hash('sha256', content, 'base64url')
}

/** The first twelve characters of the hash, 72 bits: short, and no two of a million texts share it. */
export function digest(text: string): string {
  return hashOf(text).slice(0, 12)
}
