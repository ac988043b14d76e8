import { expect, test } from 'vitest'
import {
  atLeast,
  atMost,
  type Figure,
  isMissed,
  markdownTable,
  type Result,
  type Row,
  withTable,
} from './table.ts'

function result(figure: Figure | { readonly failure: string }, row: Partial<Row> = {}): Result {
  return { bench: 'startup', row: { work: '`--version`', unit: 'times', ...row }, figure }
}

test('a goal is missed by more than a tenth, and by what could not be measured', () => {
  const most = (value: number) => isMissed(result({ value }, { goal: atMost(2) }))
  const least = (value: number) => isMissed(result({ value }, { goal: atLeast(0.9) }))
  expect([most(1), most(2.2), most(2.21), most(Number.POSITIVE_INFINITY)]).toEqual([false, false, true, true])
  expect([least(1), least(0.82), least(0.8), least(Number.NaN)]).toEqual([false, false, true, true])
  expect(isMissed(result({ value: 1000 }))).toBe(false)
  expect(isMissed(result({ failure: 'it ended with 1' }))).toBe(true)
})

test('the table has figure, floor and goal in the unit of the row; for a terminal what else was measured', () => {
  const results = [
    result({ value: 1.1349, detail: '34.0 ms' }, { floor: '1', goal: atMost(1.2) }),
    result(
      { value: 5.21, floor: 0.404 },
      { work: '`validate`', unit: 's', floor: 'js-yaml', goal: atMost(1) },
    ),
    result({ failure: 'it ended with 1' }, { work: '`plan`', unit: 'MB', goal: atLeast(100) }),
  ]
  expect(markdownTable(results, { details: false })).toBe(`| Work | Figure | Floor | Goal |
| --- | --- | --- | --- |
| \`--version\` | 1.13 | 1 | ≤ 1.2 |
| \`validate\` | 5.21 s | 0.4 s, js-yaml | ≤ 1 s |
| \`plan\` | not measured |  | ≥ 100 MB |`)
  const lines = markdownTable(results, { details: true }).split('\n')
  expect(lines.slice(2)).toEqual([
    '| `--version` | 1.13 | 1 | ≤ 1.2 |  | 34.0 ms |',
    '| `validate` | 5.21 s | 0.4 s, js-yaml | ≤ 1 s | missed |  |',
    '| `plan` | not measured |  | ≥ 100 MB | missed | it ended with 1 |',
  ])
})

test('replaces only the table of a page', () => {
  const page = '# Speed\n\n<!-- bench -->\nold\n<!-- /bench -->\n\nMore.\n'
  expect(withTable(page, 'Node\n\n| new |')).toBe(
    '# Speed\n\n<!-- bench -->\nNode\n\n| new |\n<!-- /bench -->\n\nMore.\n',
  )
  expect(() => withTable('# Speed\n', '')).toThrow('<!-- bench -->')
})
