// Lets source import what a browser or a thread gets as a string, in the bundle and in tests alike: `./page.css?text` is the file as it
// is, `./topics?texts` the help topics of a folder by their names without extension, `./main.ts?browser` that module and all it imports as
// one minified script, and `./worker.ts?worker` the same as a program for a thread of Node.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { topicsModule } from './help-topics.js'
import { missingImports } from './missing-imports.js'
import { undiciAgent } from './undici-agent.js'

const kinds = /^(?<path>\..+)\?(?<kind>browser|texts?|worker)$/
/** Hides the extension from plugins that would take the file for their own. */
const prefix = '\0page:'

/**
 * A plugin for rolldown and for vite.
 * @param {(moduleIds: readonly string[]) => void} [onBundled] called with the modules that a script holds
 */
export function browserPage(onBundled = () => {}) {
  return {
    name: 'browser-page',
    enforce: /** @type {const} */ ('pre'),
    /** @type {(source: string, importer: string | undefined) => string | undefined} */
    resolveId(source, importer) {
      const { path, kind } = kinds.exec(source)?.groups ?? {}
      if (path === undefined || importer === undefined) return undefined
      return `${prefix}${kind}:${join(dirname(importer), path)}:`
    },
    /** @type {(id: string) => Promise<{ code: string, moduleType: 'js' } | undefined>} */
    async load(id) {
      if (!id.startsWith(prefix)) return undefined
      const [kind, path] = [
        id.slice(prefix.length).split(':', 1)[0],
        id.slice(id.indexOf(':', prefix.length) + 1, -1),
      ]
      if (kind === 'texts') return { code: await topicsModule(path), moduleType: 'js' }
      const content = kind === 'text' ? await readFile(path, 'utf8') : await bundle(path, kind, onBundled)
      return { code: `export default ${JSON.stringify(content)}`, moduleType: 'js' }
    },
  }
}

/**
 * @param {string} input
 * @param {string | undefined} kind
 * @param {(moduleIds: readonly string[]) => void} onBundled
 */
async function bundle(input, kind, onBundled) {
  const platform = kind === 'worker' ? 'node' : 'browser'
  const build = await rolldown({
    input,
    platform,
    plugins: [missingImports(), undiciAgent({ isOptional: true })],
  })
  try {
    const format = kind === 'worker' ? 'cjs' : 'iife'
    const { output } = await build.generate({ format, minify: true, codeSplitting: false })
    onBundled(output[0].moduleIds)
    return output[0].code
  } finally {
    await build.close()
  }
}
