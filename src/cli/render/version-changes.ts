import { count } from '../../lib/text/count.ts'
import { secondsText } from '../../lib/text/date-time.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { renderLineDiff } from '../../lib/text/line-diff.ts'
import { table } from '../../lib/text/table.ts'
import { bold, dim, join, type Text, text } from '../../lib/text/text.ts'
import { testStatusWords } from '../../messages/scenario.ts'
import type { TestChange, TestSide } from '../../scenario/index.ts'

/** Renders tests on two versions: a row per changed test, then the messages of turns that differ. */
export function versionChangesText(changes: readonly TestChange[], version: string, width: number): Text {
  const changed = changes.filter(({ isChanged }) => isChanged)
  const head = `Compared with ${version}: ${changed.length === 0 ? 'nothing' : `${changed.length} of ${count(changes.length, 'test')}`} changed`
  if (changed.length === 0) return head
  return join([head, rows(changed, width), ...changed.flatMap(change => turnTexts(change, width))], '\n\n')
}

function rows(changes: readonly TestChange[], width: number): Text {
  const both =
    (of: (side: TestSide) => string) =>
    ({ before, after }: TestChange) => {
      const [one, other] = [of(before), of(after)]
      return one === other ? other : `${one} → ${other}`
    }
  return table(
    changes,
    [
      { heading: 'TEST', cell: ({ test }) => test.id, min: 10 },
      { heading: 'VERDICT', cell: both(({ status }) => testStatusWords[status]), min: 10 },
      { heading: 'WORDS', cell: both(({ words }) => `${words}`), min: 7 },
      { heading: 'LATENCY', cell: both(({ latencyMs }) => seconds(latencyMs)), min: 7, leaveOut: 1 },
      {
        heading: 'CALLS',
        cell: both(({ calls }) => (calls.length === 0 ? '–' : calls.join(', '))),
        min: 8,
        leaveOut: 2,
      },
    ],
    width,
  )
}

function seconds(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '–' : secondsText(milliseconds)
}

function turnTexts({ test, turns }: TestChange, width: number): Text[] {
  return turns.map(({ caller, before, after }) => {
    const line = caller === undefined ? 'before the caller’s first line' : `“${caller}”`
    const diff = (one: string, other: string) =>
      one === other ? [] : [renderLineDiff(one, other, { width, indent: 2, context: 0 })]
    return join([
      text`${bold(oneLine(test.id))}${dim(', ')}${oneLine(line)}`,
      ...diff(before.said, after.said),
      ...diff(before.calls.join('\n'), after.calls.join('\n')),
    ])
  })
}
