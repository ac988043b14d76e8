import { hash } from 'node:crypto'

/** SHA-256 of a text, base64url. */
export function hashOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** The first twelve characters of the hash, 72 bits: short, and no two of a million texts share it. */
export function digest(text: string): string {
  return hashOf(text).slice(0, 12)
}
