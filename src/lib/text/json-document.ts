import { stringifyChunked } from '@discoveryjs/json-ext'
import { maxIndentedLevels, nestsAtMost } from '../json.ts'
import { escapeJson, toJsonDocument } from './escape.ts'

/** Characters per part, unless one string is longer. */
const partLength = 64 * 1024

/** The text of `toJsonDocument` in parts: a whole document of a million entries would take several times its size in memory. */
export function* jsonDocumentParts(value: unknown): Generator<string, undefined> {
  if (!nestsAtMost(value, maxIndentedLevels)) return void (yield toJsonDocument(value))
  for (const part of stringifyChunked(value, { space: 2, highWaterMark: partLength })) yield escapeJson(part)
}
