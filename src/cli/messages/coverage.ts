import type { Coverage } from '../../scenario/index.ts'

type UncoveredItem = Coverage['files'][number]['uncovered'][number]

/** The words for each kind of item that no test went through. */
const words: Readonly<Record<UncoveredItem['kind'], (name: string) => string>> = {
  assistant: () => 'no test calls this assistant',
  tool: name => `tool never called: ${name}`,
  entry: name => `entry never the answer: ${name}`,
  variable: name => `variable never set: ${name}`,
  'end-phrase': name => `end phrase never said: ${name}`,
  forward: name => `call never forwarded to: ${name}`,
  'idle-message': () => 'idle message never heard',
  'interruption-phrase': name => `phrase after an interruption never heard: ${name}`,
  analysis: name => `no test expects anything of the analysis: ${name}`,
}

export function uncoveredWords({ kind, name }: Pick<UncoveredItem, 'kind' | 'name'>): string {
  return words[kind](name)
}

/** Rounded down: all is 100 % alone. Nothing to cover is covered. */
export function percentOf({ covered, total }: Pick<Coverage, 'covered' | 'total'>): number {
  return total === 0 ? 100 : Math.floor((covered / total) * 100)
}
