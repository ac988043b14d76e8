// Lets source import what a browser gets as a string, in the bundle and in tests alike: `./page.css?text` is the file as it
// is, `./main.ts?browser` is that module and all it imports as one minified script.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

const kinds = /^(?<path>\..+)\?(?<kind>browser|text)$/
/** Hides the extension from plugins that would take the file for their own. */
const prefix = '\0page:'

/** A plugin for rolldown and for vite. */
export function browserPage() {
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
      const text = kind === 'browser' ? await bundle(path) : await readFile(path, 'utf8')
      return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' }
    },
  }
}

/** @param {string} input */
async function bundle(input) {
  const build = await rolldown({ input, platform: 'browser' })
  try {
    const { output } = await build.generate({ format: 'iife', minify: true })
    return output[0].code
  } finally {
    await build.close()
  }
}
