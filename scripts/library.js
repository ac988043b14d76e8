// What `import` of the package gets, beside the bundle: an ES module over each CommonJS entry, so that both load the same code
// and an error of one is an error of the other, and the declarations of both.
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import { runBundled } from './run-bundled.js'

/** Each is a module of src/library/, and an entry of the package. */
const names = ['index', 'sandbox']

/** @param {string} root */
export function libraryEntries(root) {
  return Object.fromEntries(names.map(name => [`library/${name}`, join(root, `src/library/${name}.ts`)]))
}

/**
 * @param {string} root
 * @param {string} dist
 */
export async function writeLibrary(root, dist) {
  const out = join(dist, 'library')
  const declared = new Set(names)
  const written = await writtenTypes()
  // Iterating over a set includes members that are added meanwhile.
  for (const name of declared) {
    const { text, imported } = await declarationsOf(join(root, 'src/library', `${name}.ts`), written[name])
    await writeFile(join(out, `${name}.d.ts`), text)
    for (const each of imported) declared.add(each)
  }
  const require = createRequire(join(out, 'index.js'))
  for (const name of names) {
    const given = Object.keys(require(`./${name}.js`)).join(', ')
    await writeFile(
      join(out, `${name}.mjs`),
      `import given from './${name}.js'\nexport const { ${given} } = given\n`,
    )
    await writeFile(join(out, `${name}.d.mts`), `export * from './${name}.js'\n`)
  }
}

/**
 * Returns the declarations of a module from its own text, and the sibling modules that they import.
 * @param {string} file
 * @param {string | undefined} written declarations that replace those of the module
 */
async function declarationsOf(file, written) {
  if (written !== undefined) return { text: written, imported: [] }
  const { code, errors } = isolatedDeclarationSync(file, await readFile(file, 'utf8'))
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`)
  const imported = new Set()
  const text = code.replace(/^((?:import|export) .* from )["']([^"']+)["']/gm, (_, from, module) => {
    const name = /^\.\/([\w-]+)\.ts$/.exec(module)?.[1]
    // Other modules are not published, so declarations cannot import them.
    if (name === undefined) throw new Error(`${file}: its declarations import ${module}`)
    imported.add(name)
    return `${from}'./${name}.js'`
  })
  return { text, imported }
}

/** Types inferred by zod, which is not published. */
async function writtenTypes() {
  let written = {}
  await runBundled('scripts/resource-types.ts', async module => {
    written = module.writtenTypes()
  })
  return written
}
