import { expect, test } from 'vitest'
import { reportText } from '../../../../src/cli/shell/call-figures/text.ts'
import type { ReportView } from '../../../../src/cli/shell/call-figures/view.ts'
import { paint } from '../../../../src/lib/text/text.ts'

test('aligns the figures of groups, near their names on a wide terminal', () => {
  const view: ReportView = {
    ...{ title: '2 calls', subtitle: '', notes: [], verdicts: [] },
    sections: [
      {
        ...{ kind: 'table', title: 'By assistant', heads: ['assistant', 'calls', 'success'] },
        rows: [
          ['n'.repeat(150), '12', '100%'],
          ['Front desk', '1', '0%'],
        ],
      },
    ],
  }
  const rows = paint(reportText(view, 200), { color: false }).split('By assistant\n')[1]?.split('\n')
  expect(rows?.map(({ length }) => length)).toEqual([102, 102, 102])
})
