// undici as the classes that the source imports: its index also loads fetch, caches and mocks, which take longer than a request,
// and node:sqlite, which bundlers and older versions of Node do not know.
export const undiciAgent = {
  name: 'undici-agent',
  /** @type {(source: string) => string | null} */
  resolveId: source => (source === 'undici' ? '\0undici' : null),
  /** @type {(id: string) => string | null} */
  load: id =>
    id === '\0undici'
      ? `export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'`
      : null,
}
