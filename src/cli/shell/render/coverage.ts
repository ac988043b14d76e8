import { formatLocation } from '../../../files/source/index.ts'
import { count } from '../../../lib/text/count.ts'
import { dim, green, indented, join, type Text, text, yellow } from '../../../lib/text/text.ts'
import type { Coverage } from '../../../scenario/index.ts'

/** Items of one file that are listed; --json has all. */
const maxListed = 20

/** One line for each file, and below it what no test went through, each with its place. */
export function coverageText(coverage: Coverage): Text {
  const { files, covered, total } = coverage
  const head = text`Coverage: ${percent(coverage)} (${`${covered} of ${total}`})`
  return join([head, ...files.map(file => fileText(file))])
}

function fileText(file: Coverage['files'][number]): Text {
  const left = file.uncovered.length - maxListed
  return join([
    text`  ${file.file}: ${percent(file)} ${dim(`(${file.covered} of ${file.total})`)}`,
    ...file.uncovered.slice(0, maxListed).map(item => {
      const location = formatLocation({ file: file.file, position: item.position })
      return indented(text`    ${dim(location)} `, 5 + location.length, uncoveredWords(item))
    }),
    ...(left > 0 ? [text`    ${dim(`and ${count(left, 'more item')} (--json shows all)`)}`] : []),
  ])
}

function percent(numbers: CoverageCount): Text {
  const whole = getCoveredPercent(numbers)
  return whole === 100 ? green(`${whole} %`) : yellow(`${whole} %`)
}

interface CoverageCount {
  readonly covered: number
  readonly total: number
}

type UncoveredItem = Coverage['files'][number]['uncovered'][number]

/** The words for each kind of item that no test went through. */
const words: Readonly<Record<UncoveredItem['kind'], (name: string) => string>> = {
  assistant: () => 'no test calls this assistant',
  prompt: () => 'prompt not tested: replies come from rules',
  tool: name => `tool never called: ${name}`,
  entry: name => `entry never the answer: ${name}`,
  variable: name => `variable never set: ${name}`,
  'end-phrase': name => `end phrase never said: ${name}`,
  forward: name => `call never forwarded to: ${name}`,
  'idle-message': () => 'idle message never heard',
  'interruption-phrase': name => `phrase after an interruption never heard: ${name}`,
  analysis: name => `no test expects anything of the analysis: ${name}`,
}

export function uncoveredWords({ kind, name }: UncoveredItem): string {
  return words[kind](name)
}

/** Rounded down: all is 100 % alone. Nothing to cover is covered. */
export function getCoveredPercent({ covered, total }: CoverageCount): number {
  return total === 0 ? 100 : Math.floor((covered / total) * 100)
}
