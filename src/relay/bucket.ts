import { jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { parseJson } from '../lib/json.ts'
import { createDeferred } from '../lib/queue.ts'
import { untilElected } from './connection.ts'
import { streamShape } from './errors.ts'
import { isStale } from './rejections.ts'
import { streamFailure } from './stream.ts'

export interface BucketOptions {
  readonly name: string
  readonly replicas: number
  /** Milliseconds until an entry is removed; default: never. Of the bucket: nats-server 2.9 ignores those of entries. */
  readonly ttlMs?: number
  /** Milliseconds until a new bucket has elected its leader. */
  readonly timeoutMs: number
}

/** A lease ends soon after a response that takes longer. */
const maxTimeoutMs = 3000

/** JSON values under keys such as `ada.p07`. */
export type Bucket = Awaited<ReturnType<typeof openBucket>>

/**
 * Opens a bucket, and creates it if it is missing. Entries are read from the leader: a replica may be behind.
 * @throws CallyardError `conflict` for a bucket with another time to live, `refused` if JetStream refuses it
 */
export async function openBucket(connection: NatsConnection, options: BucketOptions) {
  const { name, replicas, ttlMs = 0, timeoutMs } = options
  const stream = `KV_${name}`
  try {
    const ttl = await untilElected(connection, timeoutMs, async manager => {
      const bucket = { replicas, ttl: ttlMs, allow_direct: false }
      const created = await new Kvm(manager.jetstream()).create(name, bucket)
      await created.get('-')
      return (await created.status()).ttl
    })
    const timeout = Math.min(timeoutMs, maxTimeoutMs)
    const jsm = await jetstreamManager(connection, { timeout, checkAPI: false })
    const kv = await new Kvm(jsm.jetstream()).open(name, { allow_direct: false })
    if (ttl !== ttlMs)
      throw streamShape(stream, [{ field: 'max_age', from: `${ttl / 1000}s`, to: `${ttlMs / 1000}s` }])
    return {
      async get(key: string) {
        const entry = await kv.get(key)
        if (entry === null || entry.operation !== 'PUT') return undefined
        return { value: parseJson(entry.string()), revision: entry.revision, at: entry.created }
      },
      /** Replaces the entry of this revision; 0 creates it. Returns the new revision, or undefined if another one is there. */
      async write(key: string, value: unknown, revision: number): Promise<number | undefined> {
        const json = JSON.stringify(value)
        try {
          return revision === 0 ? await kv.create(key, json) : await kv.update(key, json, revision)
        } catch (error) {
          if (isStale(error)) return undefined
          throw error
        }
      },
      /** Calls back with the key of each entry, now and later, until the connection ends. Resolves after those that exist. */
      async watch(onKey: (key: string) => void): Promise<void> {
        const { values } = await kv.status()
        const loaded = createDeferred()
        if (values === 0) loaded.resolve()
        const follow = async () => {
          for await (const { key, delta } of await kv.watch()) {
            onKey(key)
            if (delta === 0) loaded.resolve()
          }
        }
        follow().catch(loaded.reject)
        await loaded.promise
      },
      /** Returns the keys that match a filter such as `ada.*`. */
      async keys(filter: string): Promise<string[]> {
        const prefix = `$KV.${name}.`
        const { state } = await jsm.streams.info(stream, { subjects_filter: prefix + filter })
        return Object.keys(state.subjects ?? {}).map(subject => subject.slice(prefix.length))
      },
      /** Removes the matching keys, without a trace. */
      async remove(filter: string): Promise<void> {
        await jsm.streams.purge(stream, { filter: `$KV.${name}.${filter}` })
      },
    }
  } catch (error) {
    throw streamFailure(stream, error)
  }
}
