import { createHash, randomUUID } from 'node:crypto'

interface IdsOptions {
  /** The same seed gives the same ids in the same order; undefined: random ones. */
  readonly seed: number | string | undefined
  /** Ids that were given out before, by an earlier run. */
  readonly isTaken: (id: string) => boolean
  /** Number of ids that were given out; a snapshot keeps it. */
  readonly counter?: { ids: number }
}

/** UUIDs for records. With a seed the n-th one is always the same, so that a call can be compared with an earlier run. */
export function createIds({ seed, isTaken, counter = { ids: 0 } }: IdsOptions): () => string {
  if (seed === undefined) return randomUUID
  return () => {
    while (true) {
      counter.ids += 1
      const id = toUuid(createHash('sha256').update(`${seed} ${counter.ids}`).digest('hex'))
      if (!isTaken(id)) return id
    }
  }
}

/** Version 8 of RFC 9562: its content is the maker's own affair. */
function toUuid(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`]
  return [...parts, hex.slice(20, 32)].join('-')
}

/** Derives a seed from a seed and a name. A number and a string of its digits are different names. */
export function derivedSeed(seed: number, name: string | number): number {
  return Math.floor(seededRandom(seed)('seed', name) * 2 ** 48)
}

/** A number from 0 up to 1, without 1 itself, that depends on the seed and these words alone. */
export type SeededRandom = (...keys: readonly (string | number)[]) => number

/**
 * Returns pseudorandom numbers that depend on the seed and the words alone, in any order: concurrent calls
 * do not change each other's.
 */
export function seededRandom(seed: number): SeededRandom {
  return (...keys) =>
    createHash('sha256')
      .update(JSON.stringify([seed, ...keys]))
      .digest()
      .readUIntBE(0, 6) /
    2 ** 48
}
