// Bundles src/ into dist/: CommonJS chunks with one entry, so that a command loads only its own code (docs/speed.md).
// Built twice: the first bundle prints its root help, the second carries that text and answers --help without loading
// the command tree. The manual page is made from the same tree.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { browserPage } from './browser-page.js'
import { root, runBundled } from './run-bundled.js'

const dist = join(root, 'dist')

/** What nearly every command loads. */
const small =
  /[\\/](node_modules[\\/]fastest-levenshtein[\\/]|src[\\/](lib[\\/](json|text[\\/]did-you-mean|net[\\/]address)\.|interface[\\/]words\.|source[\\/]diagnostic\.|profile[\\/](errors|config-folder)\.))/
/** What every command that reads a file loads: one chunk is found and read faster than a dozen. */
const checking =
  /[\\/](node_modules[\\/]zod[\\/]|src[\\/](interface[\\/]|profile[\\/](settings|store)\.|source[\\/](check-file|read-source|find-files|template|read-text|references)\.|project[\\/](address|load[\\/]find-resources)\.))/
/** Of these what only `schema` and `init` load. */
const schemaPrinting = /json-schema/
const names = { function: true, class: true }
/** What the scripts hold that the bundle carries as text. */
const insideScripts = []

await rm(dist, { recursive: true, force: true })
await bundle('')
await writeFile(join(dist, 'package.json'), '{ "type": "commonjs" }\n')
const environment = { ...process.env, COLUMNS: '80', NO_COLOR: '1' }
const help = execFileSync(process.execPath, [join(root, 'bin/callwright.js'), '--help'], {
  env: environment,
  encoding: 'utf8',
})
const modules = await bundle(help)
await writeFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), await notices([...modules, ...insideScripts]))
await writeManPage()

async function bundle(rootHelp) {
  const build = await rolldown({
    input: join(root, 'src/main.ts'),
    platform: 'node',
    resolve: {
      alias: {
        // The same code as ES modules: it loads faster than the CommonJS that the package gives to Node.
        yaml: join(root, 'node_modules/yaml/browser/dist/index.js'),
        'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
        // Only types, and an object that hands on commander's own classes.
        '@commander-js/extra-typings': 'commander',
      },
    },
    moduleTypes: { '.yaml': 'text', '.txt': 'text' },
    // Our modules do nothing but define: of a front door (src/*/index.ts) only what is asked for is loaded.
    treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/](?!main\.ts)/, sideEffects: false }] },
    plugins: [browserPage(ids => void insideScripts.push(...ids))],
    transform: { define: { ROOT_HELP: JSON.stringify(rootHelp) } },
    // Warnings of libraries that guard optional code with eval or circular imports; our own code has neither. A front door that
    // names a module does not load it, so importing that module late has its effect.
    onwarn(warning, warn) {
      if (warning.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' && !warning.message.includes('node_modules'))
        warn(warning)
    },
  })
  await mkdir(dist, { recursive: true })
  const { output } = await build.write({
    dir: dist,
    format: 'cjs',
    exports: 'named',
    entryFileNames: 'main.js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Less to read and parse at each start; names stay, for stack traces and for libraries that ask for them.
    minify: { compress: { keepNames: names }, mangle: { keepNames: names } },
    codeSplitting: {
      groups: [
        // The entry needs the errors; in the group below they would bring all of it along, for --version too.
        { name: 'errors', test: /[\\/]src[\\/]lib[\\/]error\.ts$/, priority: 1 },
        { name: 'small', test: small, priority: 1 },
        { name: 'check', test: id => checking.test(id) && !schemaPrinting.test(id) },
      ],
    },
    cleanDir: false,
  })
  await build.close()
  return output.flatMap(chunk => ('moduleIds' in chunk ? chunk.moduleIds : []))
}

async function writeManPage() {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await mkdir(join(dist, 'man'))
  await runBundled('scripts/documents.ts', async ({ callwrightManPage }) => {
    await writeFile(join(dist, 'man/callwright.1'), await callwrightManPage(version))
  })
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
