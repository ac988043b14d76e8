/**
 * Finds the change with which a difference appears, as `git bisect` does: it shows with all changes up to this one, and not without it.
 * `shows` is asked about the first `n` changes, a logarithmic number of times; it must be true for all changes and false for none.
 */
export async function findCause<Change>(
  changes: readonly Change[],
  shows: (included: readonly Change[]) => Promise<boolean>,
): Promise<Change | undefined> {
  let [without, including] = [0, changes.length]
  while (including - without > 1) {
    const middle = Math.floor((without + including) / 2)
    if (await shows(changes.slice(0, middle))) including = middle
    else without = middle
  }
  return changes[including - 1]
}
