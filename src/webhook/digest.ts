import { hash } from 'node:crypto'

/** Twelve characters, 72 bits: short, and no two of a million are the same. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 12)
}
