import { parseAst } from 'rolldown/parseAst'

/** An export as rolldown writes it: a property with a getter, so that importers see later assignments. */
const getter =
  /Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: !0,\s*get: function\(\) \{\s*return ([\w$]+);\s*\}\s*\}\)/g

/**
 * A plugin for rolldown that assigns exports at the end of a chunk instead of defining getters, which are a tenth of the code that a
 * start compiles. Names that are assigned later keep their getter. No chunk is read before it is complete: build.js rejects cycles.
 */
export const plainExports = {
  name: 'plain-exports',
  /** @type {(options: unknown, bundle: Record<string, { code?: string }>) => void} */
  generateBundle(_, bundle) {
    let count = 0
    for (const chunk of Object.values(bundle)) {
      const { code } = chunk
      if (code?.includes('Object.defineProperty(exports, "') !== true) continue
      const constants = constantsOf(code)
      chunk.code = code.replace(getter, (whole, exported, local) => {
        if (!constants.has(local)) return whole
        count++
        return `exports.${exported} = ${local}`
      })
    }
    if (count === 0) throw new Error('plain-exports: the bundle has no exports with getters')
  },
}

/** Names that a chunk defines at its top level and never assigns again. @type {(code: string) => Set<string>} */
function constantsOf(code) {
  const names = new Set()
  for (const statement of parseAst(code, { lang: 'js', sourceType: 'script' }).body) {
    if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
      const { name } = statement.id ?? {}
      if (name !== undefined && countAssignments(code, name) === 0) names.add(name)
    }
    if (statement.type !== 'VariableDeclaration') continue
    for (const { id, init } of statement.declarations)
      if (id.type === 'Identifier' && init !== null) if (statement.kind === 'const') names.add(id.name)
  }
  return names
}

/** Includes the declaration, and those of other variables of this name. @type {(code: string, name: string) => number} */
function countAssignments(code, name) {
  const escaped = name.replaceAll('$', '\\$')
  const operator = '(?:\\*\\*|<<|>>>?|&&|\\|\\||\\?\\?|[-+*/%&|^])?=(?![=>])'
  const assignment = `(?<![\\w$.])${escaped}\\s*(?:${operator}|\\+\\+|--)|(?:\\+\\+|--)\\s*${escaped}(?![\\w$])`
  return [...code.matchAll(new RegExp(assignment, 'g'))].length
}
