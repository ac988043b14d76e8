/** The body of an event, held for all of its targets at once. */
export interface SharedBody {
  /** Undefined where there was no room for it, and once none of its targets needs it. */
  read(): Body | undefined
  /** One of its targets needs it no more. */
  release(): void
}

export interface Body {
  readonly body: Buffer
  readonly contentType: string
}

/** Bodies that wait in memory, up to so many bytes. */
export interface Memory {
  /** Holds a body that counts for so many bytes, where there is room, until so many targets released it. */
  share(body: Body, size: number, targets: number): SharedBody
  readonly isHalfFull: boolean
}

export function createMemory(limit: number): Memory {
  let used = 0
  return {
    share(body, size, targets) {
      let held = used + size <= limit ? body : undefined
      let left = targets
      if (held !== undefined) used += size
      return {
        read: () => held,
        release() {
          left--
          if (left > 0 || held === undefined) return
          // Let go here: who has the event may remember it for longer.
          held = undefined
          used -= size
        },
      }
    },
    get isHalfFull() {
      return used > limit / 2
    },
  }
}
