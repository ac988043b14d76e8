/**
 * A plugin for rolldown that fails the build for imports that cannot be found, such as those of a package that is not installed.
 * Rolldown only warns, after it has written the bundle, and leaves the import in it, where it fails when a user runs it.
 */
export function missingImports() {
  /** @type {Set<string>} */
  const missing = new Set()
  return {
    name: 'missing-imports',
    /** @type {(level: string, log: { code?: string, id?: string, exporter?: string }) => false | undefined} */
    onLog(_, { code, id, exporter }) {
      if (code !== 'UNRESOLVED_IMPORT') return undefined
      missing.add(`${id} imports ${JSON.stringify(exporter)}, which cannot be found`)
      return false
    },
    closeBundle() {
      if (missing.size > 0)
        throw new Error([...missing, 'install the packages of package-lock.json with npm ci'].join('\n'))
    },
  }
}
