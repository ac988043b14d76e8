/** Start of the function around a CommonJS module in the bundle. */
const wrapper = /(?<== [\w$]+\.[\w$]+\(\()\(([\w$, ]*)\) => \{/g

/**
 * A plugin for rolldown that turns the arrow functions around CommonJS modules into `function` expressions. V8 compiles a function
 * expression in parentheses while it parses the file, but parses an arrow function twice. The minifier prefers arrow functions, so
 * this runs after it.
 */
export const eagerModules = {
  name: 'eager-modules',
  /** @type {(options: unknown, bundle: Record<string, { code?: string }>) => void} */
  generateBundle(_, bundle) {
    let count = 0
    for (const chunk of Object.values(bundle))
      chunk.code = chunk.code?.replace(wrapper, (_, parameters) => {
        count++
        return `function(${parameters}) {`
      })
    if (count === 0) throw new Error('eager-modules: the bundle has no CommonJS modules')
  },
}
