import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { systemClock } from '../lib/clock.ts'
import { CallyardError } from '../lib/error.ts'
import { changesText, type StreamChange, streamShape } from './errors.ts'
import { isMissing, isStarting } from './rejections.ts'
import { addReplicated, missingReplicas, raiseReplicas } from './replicas.ts'
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
/** A missing stream is created sooner than it is reported. */
const maxCreateAttempts = 4
const maxReadAttempts = 20
const pauseMs = 250

/**
 * Creates the stream, or compares it with the options. `servers` is the size of the cluster, as far as it is known; an update raises the
 * replicas of the stream and its buckets to what the cluster has.
 * @throws CallyardError `conflict` for a stream that was made for something else, or that recognizes repeats for too short a time;
 * `refused` if JetStream refuses it
 */
export async function prepareStream(
  jsm: JetStreamManager,
  options: StreamOptions,
  mode: StreamMode,
  servers = 1,
): Promise<PreparedStream> {
  const { stream } = options
  try {
    const streamInfo = await findStream(jsm, stream, servers > 1 ? maxCreateAttempts : 1)
    if (streamInfo !== undefined) return await compareStream(jsm, streamInfo, options, { mode, servers })
    const replicas = mode === 'preview' ? undefined : await createStream(jsm, options)
    return { action: 'create', changes: [], replicas }
  } catch (error) {
    throw streamFailure(stream, error)
  }
}

/**
 * Returns the stream of a relay for reading.
 * @throws CallyardError `refused` if it does not exist, `conflict` if it was made for something else
 */
export async function requireStream(jsm: JetStreamManager, stream: string, servers = 1): Promise<StreamInfo> {
  const info = await findStream(jsm, stream, servers > 1 ? maxReadAttempts : 1).catch(error => {
    throw streamFailure(stream, error)
  })
  if (info === undefined) throw streamMissing(stream)
  const changes = differences(info.config, shapeOf(stream))
  if (changes.length > 0) throw streamShape(stream, changes)
  return info
}

/**
 * Returns a stream; undefined if it does not exist. A cluster is asked several times: a server whose disk is full may deny a stream that
 * others have.
 */
export async function findStream(
  jsm: JetStreamManager,
  stream: string,
  attempts = 1,
): Promise<StreamInfo | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await jsm.streams.info(stream)
    } catch (error) {
      if (!isMissing(error)) throw error
      if (attempt >= attempts) return undefined
    }
    await systemClock.sleep(pauseMs)
  }
}

async function compareStream(
  jsm: JetStreamManager,
  info: StreamInfo,
  options: StreamOptions,
  { mode, servers }: { readonly mode: StreamMode; readonly servers: number },
): Promise<PreparedStream> {
  const { stream } = options
  const { config: currentConfig } = info
  const shape = differences(currentConfig, shapeOf(stream))
  if (shape.length > 0) throw streamShape(stream, shape)
  const limits = limitsOf(options)
  // A longer window recognizes more.
  if (currentConfig.duplicate_window > limits.duplicate_window)
    limits.duplicate_window = currentConfig.duplicate_window
  const changes = differences(currentConfig, limits)
  let replicas = currentConfig.num_replicas
  if (mode === 'update') {
    if (changes.length > 0) await jsm.streams.update(stream, limits)
    replicas = await raiseReplicas(jsm, stream, info)
    for (const name of [`KV_${stream}-positions`, `KV_${stream}-leases`]) {
      const bucket = await findStream(jsm, name)
      if (bucket !== undefined) await raiseReplicas(jsm, name, bucket)
    }
  }
  changes.push(...missingReplicas(currentConfig.num_replicas, mode === 'update' ? replicas : servers))
  if (changes.length === 0) return { action: 'none', changes, replicas }
  if (mode === 'use' && currentConfig.duplicate_window < limits.duplicate_window)
    throw new CallyardError(
      'conflict',
      `stream ${stream} cannot recognize repeated events: ${changesText(changes)}`,
      { code: 'stream-differs', hint: 'change the stream', details: { stream, changes } },
    )
  return { action: mode === 'use' ? 'none' : 'update', changes, replicas }
}

function createStream(jsm: JetStreamManager, options: StreamOptions): Promise<number> {
  return addReplicated(jsm, { ...shapeOf(options.stream), ...limitsOf(options), name: options.stream })
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
export function differences(config: StreamConfig, expected: Partial<StreamConfig>): StreamChange[] {
  const current: Readonly<Record<string, unknown>> = { ...config }
  return Object.entries(expected).flatMap(([field, value]) => {
    const [from, to] = [valueText(field, current[field]), valueText(field, value)]
    return from === to ? [] : [{ field, from, to }]
  })
}

function valueText(field: string, value: unknown): string {
  if (typeof value === 'number' && /age|window/.test(field)) return `${value / nanosPerMs / 1000}s`
  return Array.isArray(value) ? value.join(', ') : String(value)
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
  if (error.code === 10065)
    return new CallyardError('conflict', `another stream has the subjects ${subjects}`, {
      code: 'subjects-in-use',
      hint: `choose another stream than ${stream}`,
      details: { stream, subjects },
      cause: error,
    })
  if (noSpaceCodes.includes(error.code))
    return new CallyardError('refused', `no space for stream ${stream}: ${reason}`, {
      code: 'jetstream-no-space',
      hint: 'choose a smaller size, or raise the storage limit of the server or account',
      details: { stream, reason },
      cause: error,
    })
  if (isStarting(error)) return error
  return new CallyardError('refused', `JetStream rejected stream ${stream}: ${reason}`, {
    code: 'jetstream-refused',
    hint: 'check the limits of the stream and the permissions of the user',
    details: { stream, reason },
    cause: error,
  })
}

const streamMissing = (stream: string) =>
  new CallyardError('refused', `stream ${stream} does not exist`, {
    code: 'stream-missing',
    hint: 'start a relay first',
    details: { stream },
  })
