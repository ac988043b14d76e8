/** Entries of `decisions` may depend on all earlier ones. */
export type LogTopic = 'decisions' | 'knowledge'

export interface NewSharedEntry {
  readonly topic: LogTopic
  /** A second entry with the same id is not stored within some minutes. */
  readonly id: string
  readonly text: string
  /** Stored only if the decision with this sequence number is the last one; 0 for none. */
  readonly after?: number | undefined
}

export interface SharedEntry extends NewSharedEntry {
  /** Number of the entry in the log, from 1. */
  readonly sequence: number
  /** Time of the server, milliseconds since the epoch. */
  readonly at: number
}

export interface LogResult {
  /** Number of the entry, or of the last decision if the entry is not stored because of `after`. */
  readonly sequence: number
}

/** A durable log that programs on several machines append to and follow. All of them see its entries in the same order. */
export interface SharedLog {
  /** Rejects with a CallyardError unless it is unknown whether the entry is stored, as after a lost connection: append it again. */
  append(entry: NewSharedEntry): Promise<LogResult>
  /** Hands over all entries in order, also across connections. Resolves once those that exist were handed over. */
  follow(onEntry: (entry: SharedEntry) => void): Promise<void>
  /** Milliseconds that the clock of this machine is ahead of that of the server. */
  readonly clockAheadMs: number
  /** Rejects if the log can no longer be followed. */
  readonly failed: Promise<never>
  close(): Promise<void>
}
