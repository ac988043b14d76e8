import { extname } from 'node:path'
import { CallyardError } from '../error.ts'

/** Returns the extension with its dot, in lower case: `.csv` for `FAQ.CSV`; empty text without one. */
export function extensionOf(path: string): string {
  return extname(path).toLowerCase()
}

export function hasExtension(path: string, extensions: readonly string[]): boolean {
  return extensions.includes(extensionOf(path))
}

export function withoutExtension(path: string): string {
  return path.slice(0, path.length - extname(path).length)
}

/** True for a path rather than a name: it has a separator or an extension. */
export function isPath(text: string): boolean {
  return /[/\\]/.test(text) || extensionOf(text) !== ''
}

export const stdinNotRead = 'stdin is not read here'
export const stdinHint = 'write it to a file, and name that'

/** @throws CallyardError `invalid` for `-`, where a name or an id is accepted as well as a file */
export function assertNotStdin(text: string): void {
  if (text === '-') throw new CallyardError('invalid', stdinNotRead, { hint: stdinHint })
}

export const yamlExtensions: readonly string[] = ['.yaml', '.yml']
/** Files with fields. */
export const fieldExtensions: readonly string[] = [...yamlExtensions, '.json']
