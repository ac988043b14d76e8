/**
 * A plugin for rolldown that gives imports other code. The build fails if one of them is imported nowhere: the library has changed, and
 * the replacement must be read again.
 * @param {string} name
 * @param {Readonly<Record<string, string>>} modules code by what is imported
 * @param {{ importers?: RegExp, isOptional?: boolean }} [options] modules whose imports are replaced (default: all), and
 * whether a build may have none
 */
export function replaceImports(name, modules, { importers = /^/, isOptional = false } = {}) {
  const prefix = `\0${name}:`
  /** @type {Set<string>} */
  const unused = new Set()
  return {
    name,
    buildStart() {
      for (const source of Object.keys(modules)) unused.add(source)
    },
    /** @type {(source: string, importer?: string) => string | null} */
    resolveId(source, importer = '') {
      if (!Object.hasOwn(modules, source) || !importers.test(importer)) return null
      unused.delete(source)
      return prefix + source
    },
    /** @type {(id: string) => string | null} */
    load: id => (id.startsWith(prefix) ? (modules[id.slice(prefix.length)] ?? null) : null),
    /** @type {(error?: Error) => void} */
    buildEnd(error) {
      if (error !== undefined || isOptional || unused.size === 0) return
      throw new Error(`${name}: nothing imports ${[...unused].join(', ')}`)
    },
  }
}
