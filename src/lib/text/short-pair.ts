import { excerpt } from './layout.ts'

/** What both begin with is cut to so many characters, where they are long. */
const maxCommonLength = 60
const maxLength = 300

/** Two values of one field, each short enough to be read, with what differs still in them. `--json` has all. */
export function shortPair(before: string, after: string): readonly [string, string] {
  const [old, now] = [[...before], [...after]]
  if (old.length <= maxLength && now.length <= maxLength) return [before, after]
  const common = now.findIndex((character, index) => character !== old[index])
  const skipped = (common === -1 ? Math.min(old.length, now.length) : common) - maxCommonLength
  const cut = (characters: readonly string[]) =>
    skipped > 0 ? excerpt(`…${characters.slice(skipped).join('')}`) : excerpt(characters.join(''))
  return [cut(old), cut(now)]
}
