/** The relay on NATS JetStream: webhook events for a team, readers with positions, shared batches. Loaded only by its commands. */
export type { BrokerOptions } from './broker.ts'
export { changesText, eventsUnpublished, type StreamChange } from './errors.ts'
export type { NamesOptions } from './read-names.ts'
export type { Relay } from './relay.ts'
export type { ReaderName, RelayEvent } from './relay-event-schemas.ts'
export type { RelayReader, RelaySourceOptions } from './relay-source.ts'

export type { SharedBatch } from './shared-batch.ts'

export const loadSharedBatch = () => import('./shared-batch.ts')
export const loadRelaySource = () => import('./relay-source.ts')
export const loadStoredEvents = () => import('./stored-events.ts')
export const loadReaderNames = () => import('./read-names.ts')
export const loadRelay = () => import('./relay.ts')
export const loadStreamPreview = () => import('./preview-stream.ts')
export const loadBrokerProbe = () => import('./probe-broker.ts')
