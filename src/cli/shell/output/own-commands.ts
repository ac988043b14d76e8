import { lazy } from '../../../lib/lazy.ts'

/** Pattern of a path of a command, such as `call start`; the longest one comes first. */
export function pathPattern(paths: readonly string[]): string {
  const longestFirst = [...paths].sort((one, other) => other.length - one.length)
  return String.raw`(?:${longestFirst.join('|') || '(?!)'})(?![\w-])`
}

/** Returns a function that replaces the name of callyard in each command of a text by the command that started it. */
export function createAsStarted(paths: readonly string[]): (text: string, startedAs: () => string) => string {
  // Most output has no text to search.
  const command = lazy(() => {
    // Sentences name the callyard sandbox.
    const names = pathPattern(paths.filter(path => path !== 'sandbox'))
    return new RegExp(String.raw`(?<![\w./-])callyard(?= (?:--\w|sandbox [<-]|${names}))`, 'g')
  })
  return (text, startedAs) => text.replace(command(), startedAs)
}
