import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { createWrap } from '../../../../src/cli/shell/output/wrap.ts'
import { createSourceLines } from '../../../../src/cli/shell/render/source-line.ts'
import { paint } from '../../../../src/lib/text/text.ts'

function drawn(line: string, column: number, width: number): string[] {
  const finding = { file: 'a.yaml', position: { line: 3, column } }
  const source = createSourceLines([finding], { width, lineAt: () => line })(finding)
  return createWrap()(paint(source ?? '', { color: false, wraps: true }), width).split('\n')
}

test.each([20, 24, 28, 40, 80, 200])(
  'places the caret below its column in a terminal of %i columns',
  width => {
    const words = 'some words, and  some more of them, '
    const line = `${words.repeat(3)}HERE ${words.repeat(10)}`
    const rows = drawn(line, 3 * words.length + 1, width)
    expect(rows).toHaveLength(2)
    const [source = '', carets = ''] = rows
    expect(source.slice(carets.indexOf('^'))).toMatch(/^HERE/)
    for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(width)
  },
)

test('truncates a line that exceeds the terminal with an ellipsis', () => {
  expect(drawn('key: a value that goes on', 1, 24)).toEqual(['    3 | key: a value th…', '      | ^'])
  expect(drawn('key: a value tha', 1, 24)).toEqual(['    3 | key: a value tha', '      | ^'])
})
