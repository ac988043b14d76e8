import { randomInt } from 'node:crypto'

/** Letters and digits that look and sound different. */
// cspell:disable-next-line
const characters = '23456789ACDEFGHJKMNPQRTUVWXYZ'
const length = 4

/** Creates the code of a request. It only names the request: a person decides in their own terminal. */
export function createCode(): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
}

/** Reads a code as a person types it; undefined for any other text. */
export function readCode(text: string): string | undefined {
  const code = text.trim().toUpperCase()
  return code.length === length && [...code].every(character => characters.includes(character))
    ? code
    : undefined
}
