import { count } from '../../lib/text/count.ts'
import { hang, plain } from '../../lib/text/layout.ts'
import { dim, green, join, type Text, text, yellow } from '../../lib/text/text.ts'
import type { Coverage } from '../../scenario/index.ts'
import { percentOf, uncoveredWords } from '../messages/coverage.ts'

/** Items of one file that are listed; --json has all. */
const maxListed = 20

/** One line for each file, and below it what no test went through, each with its place. */
export function coverageText(coverage: Coverage, width: number): Text {
  const { files, covered, total } = coverage
  const head = text`Coverage: ${percent(coverage)} (${`${covered} of ${total}`})`
  return join([head, ...files.map(file => fileText(file, width))], '\n')
}

function fileText(file: Coverage['files'][number], width: number): Text {
  const left = file.uncovered.length - maxListed
  return join(
    [
      text`  ${file.file}: ${percent(file)} ${dim(`(${file.covered} of ${file.total})`)}`,
      ...file.uncovered.slice(0, maxListed).map(item => {
        const { position } = item
        const place = position === undefined ? file.file : `${file.file}:${position.line}:${position.column}`
        return hang(text`    ${dim(place)} `, 5 + place.length, uncoveredWords(item), width, plain)
      }),
      ...(left > 0 ? [text`    ${dim(`and ${count(left, 'more item')} (--json shows all)`)}`] : []),
    ],
    '\n',
  )
}

function percent(numbers: Pick<Coverage, 'covered' | 'total'>): Text {
  const whole = percentOf(numbers)
  return whole === 100 ? green(`${whole} %`) : yellow(`${whole} %`)
}
