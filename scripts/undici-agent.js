// Bundles only the classes of undici that the source imports. Its index also loads fetch, caches and mocks, which take longer than a
// request, and node:sqlite, which bundlers and older versions of Node do not know. Left out as well: HTTP/2 and the body types of
// fetch, which callyard never uses and which are a quarter of the code.
const unused = ['./client-h2.js', '../web/fetch/body.js']

export const undiciAgent = {
  name: 'undici-agent',
  /** @type {(source: string, importer?: string) => string | null} */
  resolveId(source, importer = '') {
    if (source === 'undici') return '\0undici'
    return /[\\/]undici[\\/]lib[\\/]/.test(importer) && unused.includes(source) ? '\0unused-by-undici' : null
  },
  /** @type {(id: string) => string | null} */
  load(id) {
    if (id === '\0unused-by-undici') return 'module.exports = undefined'
    if (id !== '\0undici') return null
    return `export { default as Pool } from 'undici/lib/dispatcher/pool.js'
export { default as Client } from 'undici/lib/dispatcher/client.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'`
  },
}
