// Bundles src/ into dist/: CommonJS chunks with one entry, so that a command loads only its own code (docs/speed.md).
// Generates help pages, the manual page and the command table of completion from the command tree next to the bundle, which uses them
// without loading that tree. With --if-changed, it does nothing if dist/ is current. With --modules <folder>, it writes dist/ to that folder,
// with a file for each module (scripts/record-chunks.js).
import { realpathSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { browserPage } from './browser-page.js'
import { isBuilt, noteBuilding, noteBuilt } from './build-stamp.js'
import { pathOf, sharedChunks } from './chunks.js'
import { libraryEntries, writeLibrary } from './library.js'
import { mcpSdk, writeMcpSdk } from './mcp-sdk.js'
import { missingImports } from './missing-imports.js'
import { realTimers } from './real-timers.js'
import { replaceImports } from './replace-imports.js'
import { rewrite } from './rewrite.js'
import { root, runBundled } from './run-bundled.js'
import { undiciAgent } from './undici-agent.js'

const { values: flags } = parseArgs({
  options: { 'if-changed': { type: 'boolean' }, modules: { type: 'string' } },
})
const dist = join(flags.modules ?? root, 'dist')
/** Paths as the bundler reports them: without links. */
const packages = realpathSync(join(root, 'node_modules'))

const names = { function: true, class: true }
/** Modules of the page scripts that the bundle includes as text. */
const insideScripts = []

/** Each start reads the package's name and version; the rest of its package.json stays out of the bundle, except for links of reports. */
const shortManifest = {
  name: 'short-manifest',
  async load(id) {
    if (id !== join(root, 'package.json')) return null
    const { name, version, homepage, repository } = JSON.parse(await readFile(id, 'utf8'))
    return JSON.stringify({ name, version, homepage, repository })
  },
}

/** Unicode tables take as long to load as Node to start, and ASCII needs none: string-width creates its segmenter and patterns on first use. */
function lateTables() {
  let isFound = false
  return {
    name: 'late-tables',
    transform(code, id) {
      if (id !== join(packages, 'string-width/index.js')) return null
      const tables = [...code.matchAll(/^const (segmenter|\w+Regex) = (.*);$/gm)]
      isFound = tables.length >= 4
      return tables.reduce(
        (late, [line, name, value]) =>
          `let made_${name};\n${late.replace(line, '').replace(new RegExp(`\\b${name}\\b`, 'g'), () => `(made_${name} ??= ${value})`)}`,
        code,
      )
    },
    buildEnd(error) {
      if (error === undefined && !isFound) throw new Error('string-width makes its tables in another way')
    },
  }
}

/**
 * Bundlers of users turn `require` of a built-in module into an error when they write ES modules. This form, of Node 20.16 and
 * later, they leave alone. Code that was compiled earlier (src/lib/process/compiled-code.ts) cannot import, and an import would start Node's
 * loader of ES modules.
 */
const builtinModules = {
  name: 'builtin-modules',
  renderChunk(code) {
    const changed = code
      .replaceAll(lateBuiltins, (line, variable, name) =>
        code.includes(`__toESM(${variable}`) ? line : line.replace(`require("${name}")`, late(name)),
      )
      .replaceAll(/\brequire\("([\w:/]+)"\)/g, (call, name) => (isBuiltin(name) ? builtin(name) : call))
      .replaceAll(/\bimport\("(node:[\w/]+)"\)/g, (_, name) => `Promise.resolve(${builtin(name)})`)
    if (/\bimport\(/.test(changed)) throw new Error('a chunk imports at run time')
    return changed
  },
}

/** Built-in modules that take milliseconds to load. Most runs of a command use none of them. */
const lateBuiltins = /\b(?:let|const) (\w+) = require\("(node:(?:child_process|crypto|http|net))"\);/g

/** An object that loads a module when one of its members is read. */
const late = name => `new Proxy({}, { get: (_, member) => ${builtin(name)}[member] })`

/** A file with only ASCII takes half the memory, and V8 parses it and its compiled code faster. */
const asciiChunks = {
  name: 'ascii-chunks',
  generateBundle(_, output) {
    for (const chunk of Object.values(output)) {
      if (/\braw`[^`]*[^\0-\x7f]/.test(chunk.code)) throw new Error('a raw template has more than ASCII')
      chunk.code = chunk.code?.replaceAll(
        /[^\0-\x7f]/g,
        character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

const builtin = name => `globalThis.process.getBuiltinModule(${JSON.stringify(name)})`

/**
 * atomically removes its temporary files at exit through when-exit, which listens to every signal and sends it to the process
 * again: the program of `sandbox exec` would get Ctrl-C twice. The process handles its signals itself (cli/shell/host.ts) and exits.
 */
const exitHook = replaceImports('exit-hook', {
  'when-exit': "export default onExit => void process.once('exit', onExit)",
})

const conf = join(packages, 'conf/dist/source/index.js')
/** SNAP makes conf write in place, and terminals inside a snap inherit the variable. */
const confOutsideSnaps = rewrite('conf-outside-snaps', id => id === conf, [
  { from: /process\.env\.SNAP/g, to: 'false', times: 1 },
])

const format = {
  format: 'cjs',
  exports: 'named',
  // Licenses are in THIRD-PARTY-NOTICES.txt.
  comments: false,
  // Less to read and parse at each start; names stay, for stack traces and for libraries that ask for them. Line breaks stay, too:
  // Node prints the whole line in which an uncaught error was thrown.
  minify: {
    compress: { keepNames: names },
    mangle: { keepNames: names },
    codegen: { removeWhitespace: false },
  },
}

if (flags.modules !== undefined) await writeDist()
else if (!flags['if-changed'] || !(await isBuilt(root))) await build()

async function build() {
  const startedAt = Date.now()
  await noteBuilding(root)
  await rm(dist, { recursive: true, force: true })
  await writeDist()
  await noteBuilt(root, startedAt)
}

async function writeDist() {
  await mkdir(dist, { recursive: true })
  const modules = await bundle()
  const sdkModules = await writeMcpSdk(root, dist, format)
  await writeFile(join(dist, 'package.json'), '{ "type": "commonjs" }\n')
  await writeFile(
    join(dist, 'THIRD-PARTY-NOTICES.txt'),
    await notices([...modules, ...sdkModules, ...insideScripts]),
  )
  await writeDocuments()
  await writeLibrary(root, dist)
}

/** @returns {Parameters<typeof rolldown>[0]} */
function bundleOptions() {
  return {
    cwd: root,
    input: { main: join(root, 'src/main.ts'), ...libraryEntries(root) },
    platform: 'node',
    resolve: {
      alias: {
        // The same code as ES modules: it loads faster than the CommonJS that the package gives to Node.
        yaml: join(root, 'node_modules/yaml/browser/dist/index.js'),
        'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
      },
    },
    moduleTypes: { '.yaml': 'text', '.csv': 'text', '.txt': 'text' },
    // Modules of src only define things, so of an entry point (src/*/index.ts) only the imported names are loaded.
    // Chunks share the modules that the entry loads anyway.
    preserveEntrySignatures: 'allow-extension',
    treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/](?!main\.ts)/, sideEffects: false }] },
    plugins: [
      mcpSdk(),
      missingImports(),
      browserPage(ids => void insideScripts.push(...ids)),
      shortManifest,
      lateTables(),
      exitHook,
      undiciAgent(),
      realTimers(),
      builtinModules,
      asciiChunks,
      confOutsideSnaps,
    ],
    // Warnings of libraries that guard optional code with eval or circular imports; our own code has neither. An entry point that
    // names a module does not load it, so importing that module late has its effect.
    onwarn(warning, warn) {
      if (warning.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' && !warning.message.includes('node_modules'))
        warn(warning)
    },
  }
}

/** Writes the bundle and returns its modules. */
async function bundle() {
  const graph = await bundleModules()
  if (flags.modules !== undefined) return graph.map(({ path }) => join(root, path))
  const chunkOf = sharedChunks(graph)
  const { output } = await bundleTo({
    ...format,
    ...chunksBy(id => chunkOf(pathOf(id, root))),
    chunkFileNames: 'chunks/[name]-[hash].js',
    cleanDir: false,
  })
  rejectCircularChunks(output)
  return output.flatMap(chunk => ('moduleIds' in chunk ? chunk.moduleIds : []))
}

/**
 * Returns the modules that are left after tree shaking, and the files that each of them loads. With a chunk for each module, one that
 * imports names of a door loads the modules that define them, and not all that the door exports.
 */
async function bundleModules() {
  const { output } = await bundleTo(
    {
      ...format,
      // All in the folder of the chunks, because some look for other files of dist/ from there.
      ...chunksBy(id => pathOf(id, root).replaceAll('/', '+')),
      minify: false,
      chunkFileNames: 'chunks/[name].js',
    },
    { isWritten: flags.modules !== undefined },
  )
  const graph = output
    .filter(({ type }) => type === 'chunk')
    .map(({ fileName, moduleIds, isEntry, imports, dynamicImports }) => ({
      file: fileName,
      path: pathOf(moduleIds[0], root),
      isEntry,
      imports,
      lateImports: dynamicImports,
    }))
  if (flags.modules !== undefined) await writeFile(join(flags.modules, 'modules.json'), JSON.stringify(graph))
  return graph
}

/**
 * Returns options for chunks of which each has the modules with one name.
 * @param {(id: string) => string | null} name null leaves a module to the bundler
 */
function chunksBy(name) {
  return {
    dir: dist,
    entryFileNames: '[name].js',
    codeSplitting: {
      // An entry point imports all its modules, so each group selects its own.
      includeDependenciesRecursively: false,
      groups: [{ name, debugName: 'shared' }],
    },
  }
}

async function bundleTo(output, { isWritten = true } = {}) {
  const build = await rolldown(bundleOptions())
  const bundled = await (isWritten ? build.write(output) : build.generate(output))
  await build.close()
  return bundled
}

/** Throws where chunks load each other at their start: one of them would read what the other has not defined yet. */
function rejectCircularChunks(output) {
  const imports = new Map(output.map(({ fileName, imports }) => [fileName, imports ?? []]))
  const checked = new Set()
  const visit = (file, path) => {
    if (path.includes(file))
      throw new Error(`chunks load each other: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
    if (checked.has(file)) return
    for (const imported of imports.get(file) ?? []) visit(imported, [...path, file])
    checked.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
}

/** The manual page, a file for each page of `callyard help`, the command table, and the schema of each kind of file. */
async function writeDocuments() {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const write = async (file, text) => {
    await mkdir(dirname(join(dist, file)), { recursive: true })
    await writeFile(join(dist, file), text)
  }
  await runBundled(
    'scripts/documents.ts',
    async ({ callyardManPage, completionTable, helpPages, schemaFiles }) => {
      await write('man/callyard.1', await callyardManPage(version))
      await write('completion.json', await completionTable())
      for (const [place, page] of await helpPages()) await write(`help/${place}.txt`, page)
      for (const [file, schema] of schemaFiles()) await write(file, schema)
    },
  )
}

/** The licences of every library that the bundle holds. */
async function notices(modules) {
  const packages = new Set(
    modules.flatMap(
      id => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'))?.[1] ?? [],
    ),
  )
  const texts = await Promise.all(
    [...packages].sort().map(async folder => {
      const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
      return `${name} ${version} (${license})\n\n${await licenceTexts(folder)}\n`
    }),
  )
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** The licence of a package, and the notice that the Apache licence asks to pass on. */
async function licenceTexts(folder) {
  const files = (await readdir(folder))
    .filter(file => /^(licen[cs]e|copying|notice)([-.].*)?$/i.test(file))
    .sort()
  if (files.length === 0)
    throw new Error(`${folder} has no licence text: the bundle must not hold it without one`)
  const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')))
  return texts.map(text => text.trim()).join('\n\n')
}
