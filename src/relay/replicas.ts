import {
  JetStreamApiError,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { StreamChange } from './errors.ts'

const mostReplicas = 3

/** Creates a stream with three replicas, or as many as the cluster has. Returns their number. */
export async function addReplicated(
  jsm: JetStreamManager,
  config: Partial<StreamConfig> & { readonly name: string },
): Promise<number> {
  for (const num_replicas of [3, 2, 1]) {
    try {
      await jsm.streams.add({ ...config, num_replicas })
      return num_replicas
    } catch (error) {
      if (num_replicas === 1 || !lacksServers(error)) throw error
    }
  }
  return 1
}

/** Returns the change that more replicas would be, as far as a cluster of this many servers has them. */
export function missingReplicas(from: number, servers: number): readonly StreamChange[] {
  const to = Math.min(mostReplicas, servers)
  return from < to ? [{ field: 'num_replicas', from: String(from), to: String(to) }] : []
}

/** Gives a stream of a cluster three replicas, or as many as the cluster has, if it has fewer. Returns their number. */
export async function raiseReplicas(
  jsm: JetStreamManager,
  stream: string,
  { config, cluster }: StreamInfo,
): Promise<number> {
  // A single server accepts any number, and stores one.
  const most = cluster === undefined ? 1 : mostReplicas
  for (let num_replicas = most; num_replicas > config.num_replicas; num_replicas--) {
    try {
      await jsm.streams.update(stream, { num_replicas })
      return num_replicas
    } catch (error) {
      if (!lacksServers(error)) throw error
    }
  }
  return config.num_replicas
}

/** Codes of the API of JetStream: no clustering, no suitable peers. */
function lacksServers(error: unknown): boolean {
  return error instanceof JetStreamApiError && [10074, 10005].includes(error.code)
}
