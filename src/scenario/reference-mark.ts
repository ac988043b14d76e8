import { parseTemplate, type ResourceReference } from '../files/source/index.ts'
import { mapTexts } from '../lib/json.ts'

/** A character that no file has: Unicode assigns none to it. */
const mark = '\u{10fffe}'
const marked = new RegExp(`${mark}(.*?)${mark}`, 'gsu')

/**
 * Text for a reference in a test until ids are known. `${tool:name}` itself would not do: a test may contain that text, escaped, or a row
 * or a recorded call may.
 */
export function markReference({ kind, name }: ResourceReference): string {
  return `${mark}${kind}:${name}${mark}`
}

/** Replaces marked references in all strings of a value. */
export function replaceReferences(
  value: unknown,
  replace: (reference: ResourceReference) => string,
): unknown {
  return mapTexts(value, text =>
    text.includes(mark)
      ? text.replace(marked, (_, inner: string) => {
          const reference = referenceIn(inner)
          return reference === undefined ? inner : replace(reference)
        })
      : text,
  )
}

/** Returns the marked references in all strings of a value. */
export function listReferences(value: unknown): readonly ResourceReference[] {
  const references: ResourceReference[] = []
  replaceReferences(value, reference => {
    references.push(reference)
    return ''
  })
  return references
}

/** Returns a value as a file contains it: references as they are written, and `${` escaped. */
export function asWritten(value: unknown): unknown {
  const escaped = mapTexts(value, text => text.replaceAll('${', '$${'))
  return replaceReferences(escaped, ({ kind, name }) => `\${${kind}:${name}}`)
}

/** Returns the reference that a whole text is. */
export function readMarked(text: string): ResourceReference | undefined {
  return text.startsWith(mark) && text.endsWith(mark)
    ? referenceIn(text.slice(mark.length, -mark.length))
    : undefined
}

function referenceIn(inner: string): ResourceReference | undefined {
  const [segment] = parseTemplate(`\${${inner}}`)
  return segment?.kind === 'resource' ? segment.resource : undefined
}
