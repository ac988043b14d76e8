/**
 * A plugin for rolldown that escapes characters beyond ASCII, which the minifier leaves in tagged templates: compiled code is read as
 * Latin-1. In String.raw they become escapes of a regular expression, the only use of it with such characters.
 */
export const asciiTemplates = {
  name: 'ascii-templates',
  /** @type {(options: unknown, bundle: Record<string, { code?: string }>) => void} */
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.code !== undefined) chunk.code = chunk.code.replace(/[^\0-\x7f]/g, toEscape)
  },
}

/** Escapes a UTF-16 unit. @type {(unit: string) => string} */
function toEscape(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
