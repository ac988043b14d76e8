/** Cassettes: recorded responses of models, read and updated. */
export { toCassettePath } from './cassette.ts'
export type { CassetteChange, ChangedResponse } from './cassette-change.ts'
export { type CassetteOptions, type Cassettes, openCassettes } from './open-cassettes.ts'
