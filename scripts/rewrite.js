/**
 * A plugin for rolldown that replaces text in some modules. The build fails when a replacement matches another number of times than
 * it did when it was written: the library has changed, and the replacement must be read again.
 * @param {string} name
 * @param {(id: string) => boolean} isRewritten
 * @param {ReadonlyArray<{ from: RegExp, to: string, times: number }>} replacements
 */
export function rewrite(name, isRewritten, replacements) {
  const counts = replacements.map(() => 0)
  return {
    name,
    buildStart() {
      counts.fill(0)
    },
    /** @type {(code: string, id: string) => string | null} */
    transform(code, id) {
      if (!isRewritten(id)) return null
      return replacements.reduce((text, { from, to }, index) => {
        counts[index] = (counts[index] ?? 0) + [...text.matchAll(from)].length
        return text.replaceAll(from, to)
      }, code)
    },
    /** @type {(error?: Error) => void} */
    buildEnd(error) {
      if (error !== undefined) return
      for (const [index, { from, times }] of replacements.entries())
        if (counts[index] !== times)
          throw new Error(`${name}: ${from} matches ${counts[index]} times instead of ${times}`)
    },
  }
}
