import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { relayError, type StreamChange } from './errors.ts'
import { subjectFilter } from './subjects.ts'

export interface StreamOptions {
  readonly stream: string
  /** Milliseconds that events are kept. */
  readonly keepMs: number
  readonly maxBytes: number
}

/** `use` changes nothing that exists, and `preview` nothing at all. */
export type StreamMode = 'use' | 'update' | 'preview'

export interface PreparedStream {
  readonly action: 'create' | 'update' | 'none'
  /** Differences between the stream and the options. With `use` they remain. */
  readonly changes: readonly StreamChange[]
  /** Undefined for a stream that `preview` would create. */
  readonly replicas: number | undefined
}

/** JetStream recognizes a message that is published again within this time. */
export const duplicateWindowMs = 15 * 60_000
const nanosPerMs = 1_000_000

/**
 * Creates the stream, or compares it with the options.
 * @throws CallwrightError `conflict` for a stream that was made for something else, or that recognizes repeats for too short a time;
 * `refused` if JetStream refuses it
 */
export async function prepareStream(
  jsm: JetStreamManager,
  options: StreamOptions,
  mode: StreamMode,
): Promise<PreparedStream> {
  const { stream } = options
  try {
    const found = await findStream(jsm, stream)
    if (found !== undefined) return await compareStream(jsm, found.config, options, mode)
    const replicas = mode === 'preview' ? undefined : await createStream(jsm, options)
    return { action: 'create', changes: [], replicas }
  } catch (error) {
    throw streamFailure(stream, error)
  }
}

/**
 * Returns the stream of a relay for reading.
 * @throws CallwrightError `refused` if it does not exist, `conflict` if it was made for something else
 */
export async function requireStream(jsm: JetStreamManager, stream: string): Promise<StreamInfo> {
  const info = await jsm.streams.info(stream).catch(error => {
    if (isMissing(error)) throw relayError('refused', 'stream-missing', { stream }, error)
    throw streamFailure(stream, error)
  })
  const changes = differences(info.config, shapeOf(stream))
  if (changes.length > 0) throw relayError('conflict', 'stream-shape', { stream, changes })
  return info
}

/** Returns a stream; undefined if it does not exist. */
export async function findStream(jsm: JetStreamManager, stream: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(stream)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound
}

async function compareStream(
  jsm: JetStreamManager,
  found: StreamConfig,
  options: StreamOptions,
  mode: StreamMode,
): Promise<PreparedStream> {
  const { stream } = options
  const shape = differences(found, shapeOf(stream))
  if (shape.length > 0) throw relayError('conflict', 'stream-shape', { stream, changes: shape })
  const limits = limitsOf(options)
  // A longer window recognizes more.
  if (found.duplicate_window > limits.duplicate_window) limits.duplicate_window = found.duplicate_window
  const changes = differences(found, limits)
  const replicas = found.num_replicas
  if (changes.length === 0) return { action: 'none', changes, replicas }
  if (mode === 'update') await jsm.streams.update(stream, limits)
  if (mode === 'use' && found.duplicate_window < limits.duplicate_window)
    throw relayError('conflict', 'stream-differs', { stream, changes })
  return { action: mode === 'use' ? 'none' : 'update', changes, replicas }
}

function createStream(jsm: JetStreamManager, options: StreamOptions): Promise<number> {
  return addReplicated(jsm, { ...shapeOf(options.stream), ...limitsOf(options), name: options.stream })
}

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

function shapeOf(stream: string) {
  return {
    subjects: [subjectFilter(stream)],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_msgs: -1,
    max_msgs_per_subject: -1,
  }
}

function limitsOf({ keepMs, maxBytes }: StreamOptions) {
  return {
    max_age: keepMs * nanosPerMs,
    max_bytes: maxBytes,
    duplicate_window: Math.min(duplicateWindowMs, keepMs) * nanosPerMs,
  }
}

/** Returns the differences between a configuration and the wanted fields. */
export function differences(found: StreamConfig, wanted: Partial<StreamConfig>): StreamChange[] {
  const current: Readonly<Record<string, unknown>> = { ...found }
  return Object.entries(wanted).flatMap(([field, value]) => {
    const [from, to] = [valueText(field, current[field]), valueText(field, value)]
    return from === to ? [] : [{ field, from, to }]
  })
}

function valueText(field: string, value: unknown): string {
  if (typeof value === 'number' && /age|window/.test(field)) return `${value / nanosPerMs / 1000}s`
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Codes of the API of JetStream: no clustering, no suitable peers. */
function lacksServers(error: unknown): boolean {
  return error instanceof JetStreamApiError && [10074, 10005].includes(error.code)
}

const noSpaceCodes = [10023, 10028, 10047, 10077]

/** Converts what JetStream refuses; anything else, such as a timeout, is returned unchanged. */
export function streamFailure(
  stream: string,
  error: unknown,
  subjects: string = subjectFilter(stream),
): unknown {
  if (!(error instanceof JetStreamApiError)) return error
  const reason = error.message
  if (error.code === 10065) return relayError('conflict', 'subjects-in-use', { stream, subjects }, error)
  if (noSpaceCodes.includes(error.code))
    return relayError('refused', 'jetstream-no-space', { stream, reason }, error)
  // 503: no leader yet, as while a cluster starts.
  return error.status === 503 ? error : relayError('refused', 'jetstream-refused', { stream, reason }, error)
}
