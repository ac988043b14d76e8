import { createHash } from 'node:crypto'

/** A number from 0 up to 1, without 1 itself, that depends on the seed and these words alone. */
export type SeededRandom = (...what: readonly (string | number)[]) => number

/**
 * Decisions that look random and are the same for the same seed and words, in whatever order they are asked for: calls
 * that run at once do not change each other's.
 */
export function seededRandom(seed: number): SeededRandom {
  return (...what) =>
    createHash('sha256')
      .update(JSON.stringify([seed, ...what]))
      .digest()
      .readUIntBE(0, 6) /
    2 ** 48
}
