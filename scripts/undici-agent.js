// Bundles only the classes of undici that the source imports. Its index also loads fetch, caches and mocks, which take longer than a
// request, and node:sqlite, which bundlers and older versions of Node do not know. Left out as well: HTTP/2 and the body types of
// fetch, which callyard never uses and which are a quarter of the code.
import { replaceImports } from './replace-imports.js'

const agent = `export { default as Pool } from 'undici/lib/dispatcher/pool.js'
export { default as Client } from 'undici/lib/dispatcher/client.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'`
const left = 'module.exports = undefined'

/** @param {{ isOptional?: boolean }} [options] for a build that may not contain undici */
export function undiciAgent(options) {
  return [
    replaceImports('undici-agent', { undici: agent }, options),
    replaceImports(
      'unused-by-undici',
      { './client-h2.js': left, '../web/fetch/body.js': left },
      { importers: /[\\/]undici[\\/]lib[\\/]/, ...options },
    ),
  ]
}
