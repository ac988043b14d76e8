import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'

/** Modules that an entry loads before it can use the code that V8 compiled earlier, or that decide whether it can. */
const early = {
  'compiled-code': [
    'src/lib/fs/unused-folders.ts',
    'src/lib/fs/user-folders.ts',
    'src/lib/process/compile-cache.ts',
    'src/lib/process/compiled-code.ts',
    'src/lib/process/skip-optimizer.ts',
  ],
  library: [
    'src/library/errors.ts',
    'src/library/option-schemas.ts',
    'src/library/process-hold.ts',
    'src/library/process-rules.ts',
  ],
}

/** The module that imports each command late. */
const commandTable = 'src/cli/commands/program.ts'

/** The modules that frequent commands, and the library, import late: written by `npm run chunks`. */
const recorded = JSON.parse(readFileSync(new URL('chunks.json', import.meta.url), 'utf8'))

/**
 * @typedef {object} BundledModule with the files that it loads
 * @property {string} file
 * @property {string} path from the root of the project
 * @property {boolean} isEntry
 * @property {readonly string[]} imports
 * @property {readonly string[]} lateImports
 */

/**
 * Returns a function from the path of a module to the name of its chunk, if modules share it. The bundler divides the others by what loads
 * them. A module is loaded wherever one that imports it is, so chunks do not load each other.
 * @param {readonly BundledModule[]} modules
 * @throws Error for a name that matches no module
 */
export function sharedChunks(modules) {
  assertChunksMatch(modules)
  const filesOf = paths => modules.filter(({ path }) => paths.includes(path)).map(({ file }) => file)
  const entries = modules.filter(({ isEntry }) => isEntry)
  const names = new Map(
    Object.entries(early).flatMap(([name, paths]) => filesOf(paths).map(file => [file, name])),
  )
  for (const file of loadedWith(
    entries.map(({ file }) => file),
    modules,
  ))
    names.set(file, 'entry')

  const runs = Object.values(recorded).map(paths => loadedWith(filesOf(paths), modules))
  const table = modules.find(({ path }) => path === commandTable)
  const commands = table.lateImports.map(file => loadedWith([file], modules))
  const keys = []
  for (const { file } of modules) {
    const loading = runs.flatMap((files, index) => (files.has(file) ? [index] : []))
    if (names.has(file) || loading.length === 0) continue
    // A command that is not recorded should not load much of what it does not need: few, some or most commands load a module.
    const share = Math.ceil((3 * commands.filter(files => files.has(file)).length) / commands.length)
    const key = `${loading.join()} ${share}`
    if (!keys.includes(key)) keys.push(key)
    names.set(file, `shared-${keys.indexOf(key)}`)
  }
  const nameOf = new Map(
    modules.flatMap(({ file, path, isEntry }) => (isEntry ? [] : [[path, names.get(file)]])),
  )
  return path => nameOf.get(path) ?? null
}

function assertChunksMatch(modules) {
  const paths = new Set(modules.map(({ path }) => path))
  const isUnknown = path => !paths.has(path)
  const recordedUnknown = Object.values(recorded).flat().find(isUnknown)
  if (recordedUnknown !== undefined)
    throw new Error(
      `scripts/chunks.json names ${recordedUnknown}, which is not in the bundle; run: npm run chunks`,
    )
  const unknown = [commandTable, ...Object.values(early).flat()].find(isUnknown)
  if (unknown !== undefined) throw new Error(`scripts/chunks.js names ${unknown}, which is not in the bundle`)
}

/** Returns files of modules, and those that they import at once. */
function loadedWith(files, modules) {
  const importsOf = new Map(modules.map(({ file, imports }) => [file, imports]))
  const loaded = new Set(files)
  // Iterating over a set includes members that are added meanwhile.
  for (const file of loaded)
    for (const imported of importsOf.get(file)) if (importsOf.has(imported)) loaded.add(imported)
  return loaded
}

/** Returns the path of a module from the root of the project. */
export function pathOf(id, root) {
  if (id.startsWith('\0')) return id
  const path = relative(root, id).split(sep).join('/')
  // The folder of packages may be linked from elsewhere.
  return path.startsWith('../') ? path.slice(Math.max(0, path.indexOf('node_modules/'))) : path
}
