import { count } from '../../lib/text/count.ts'
import { escapeForTerminal } from '../../lib/text/escape.ts'
import { cut, hang, plain } from '../../lib/text/layout.ts'
import { renderLineDiff } from '../../lib/text/line-diff.ts'
import { bold, dim, join, type Text, text } from '../../lib/text/text.ts'
import type { CassetteChange, ChangedAnswer } from '../../scenario/index.ts'

/** What the assistant says now against before, turn by turn, for each cassette. */
export function renderRecording(changes: readonly CassetteChange[], width: number): Text {
  return join(
    changes.map(change => renderChange(change, width)),
    '\n\n',
  )
}

function renderChange({ file, answers, removed, unreadable }: CassetteChange, width: number): Text {
  return join(
    [
      text`${bold(file)}: ${summary({ answers, removed, unreadable })}`,
      ...answers.map(answer => renderAnswer(answer, width)),
    ],
    '\n',
  )
}

function summary({
  answers,
  removed,
  unreadable,
}: Pick<CassetteChange, 'answers' | 'removed' | 'unreadable'>): string {
  return [
    ...(answers.length === 0 ? [] : [count(answers.length, 'new answer')]),
    ...(removed === 0 ? [] : [`${removed} removed that no test asks for`]),
    ...(unreadable === 0 ? [] : [`${count(unreadable, 'line')} removed that cannot be read`]),
  ].join(', ')
}

function renderAnswer({ row, turn, of, asked, before, now }: ChangedAnswer, width: number): Text {
  const place = `${row === undefined ? '' : `row ${row}, `}turn ${turn}${of === 'assistant' ? '' : `, ${of}`}`
  const [line = ''] = asked.split('\n', 1)
  const head = text`  ${place}  ${dim(cut(escapeForTerminal(line), Math.max(minColumns, width - place.length - 4)))}`
  if (before === now) return join([head, hang('    ', 4, now, width, plain)], '\n')
  return join([head, renderLineDiff(before ?? '', now, { width, indent: 4, context: 2 })], '\n')
}

/** Of what was asked, in a narrow terminal. */
const minColumns = 20
