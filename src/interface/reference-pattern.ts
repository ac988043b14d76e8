import { resourceKinds } from './words.ts'

/** What may stand after the `$` of a reference, braces included. */
const body = [
  // The variables of callwright itself, in upper and lower case.
  `env:(?!${[...'CALLWRIGHT'].map(letter => `[${letter}${letter.toLowerCase()}]`).join('')}_)[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?`,
  'file:[^{}]+',
  `(?:${resourceKinds.join('|')}):[^\\s{}](?:[^{}\\n\\r\\u2028\\u2029]*[^\\s{}])?`,
].join('|')

const bad = `(?:^|[^$])\\$(?!\\{(?:${body})\\})\\{`

/** A text without a broken reference, as JSON Schema writes patterns. `$${` is a literal `${`. */
export const textPattern = `^(?![\\s\\S]*${bad})`

/** The same, and with a reference in it: what it comes to is known only when the file is read. */
export const referencePattern = `${textPattern}(?:[\\s\\S]*[^$])?\\$\\{`
