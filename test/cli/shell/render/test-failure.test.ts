import { expect, test } from 'vitest'
import { colors } from '../../../../src/cli/shell/output/colors.ts'
import { renderFailure } from '../../../../src/cli/shell/render/test-failure.ts'
import { widthOf } from '../../../../src/lib/text/layout.ts'
import { paint } from '../../../../src/lib/text/text.ts'
import type { Failure, ObservedTurn } from '../../../../src/scenario/index.ts'
import { madeResult, madeTurn } from '../../../scenario/made-results.ts'

const place = { file: 'tests/hours.test.yaml', path: ['turns', 1], position: { line: 9, column: 31 } }
const line = '    expect: { says: [Monday, "nine to six"] }'
const open = madeTurn('When are you open?', 'We are open Monday to Friday.')
const failure: Failure = {
  code: 'not-said',
  details: { text: { kind: 'contains', text: 'nine to six' }, messages: open.messages },
  location: place,
  turn: 1,
}

function rendered(
  turns: readonly ObservedTurn[],
  failures: readonly Failure[],
  { width = 80, source = line }: { readonly width?: number; readonly source?: string } = {},
): string[] {
  const made = madeResult(turns)
  const attempts = made.attempts.map(attempt => ({ ...attempt, failures }))
  const text = renderFailure(
    { ...made, status: 'failed', attempts },
    { width, lineAt: () => source, repeats: () => 'callyard call chat' },
  )
  return paint(text, { color: false }).split('\n')
}

test('a failure shows its line with a caret, the expected and actual values, below the transcript', () => {
  const hit = {
    entry: { id: '1', question: 'Opening hours?', answer: 'Nine' },
    isExact: false,
    score: 3.456,
    share: 1,
  }
  const searched = { ...open, searches: [{ question: 'When are you open?', hits: [hit], used: true }] }
  expect(rendered([madeTurn(undefined, 'Hello Ada'), searched], [failure])).toEqual([
    'FAILED made',
    '     1.0s assistant  Hello Ada',
    '    -1.0s user       When are you open?',
    '          FAQ        "Opening hours?" 3.46 (used)',
    '     1.0s assistant  We are open Monday to Friday.',
    '',
    'tests/hours.test.yaml:9:31: error: the assistant did not say "nine to six" [not-said]',
    '    9 |     expect: { says: [Monday, "nine to six"] }',
    '      |                               ^',
    '  expected  "nine to six"',
    '  actual    We are open Monday to Friday.',
    '',
    '  again: callyard call chat',
  ])
})

test('shows a message once for the failures of a turn, and their line once with a caret for each', () => {
  const other = { ...failure, location: { ...place, position: { line: 9, column: 23 } } }
  const lines = rendered([madeTurn(undefined, 'Hello'), open], [failure, other, failure])
  const errors = lines.flatMap((each, index) => (each.includes('error:') ? [index] : []))
  expect(errors.map(index => lines[index - 1])).toEqual(['', '', ''])
  expect(lines.filter(each => each.includes('When are you open?'))).toHaveLength(1)
  expect(lines.filter(each => each.includes(' | '))).toEqual([
    '    9 |     expect: { says: [Monday, "nine to six"] }',
    '      |                       ^       ^',
  ])
})

test('shows expected values in green and actual ones in red', () => {
  const made = madeResult([open])
  const attempts = made.attempts.map(attempt => ({ ...attempt, failures: [failure] }))
  const view = { width: 80, lineAt: () => undefined, repeats: () => undefined }
  const painted = paint(renderFailure({ ...made, status: 'failed', attempts }, view), { color: colors })
  expect(painted).toContain('\u001b[32m"nine to six"\u001b[39m')
  expect(painted).toContain('\u001b[31mWe are open Monday to Friday.\u001b[39m')
})

test('a million characters, a flood of messages and a long line leave a failure of a page', () => {
  const flood = {
    ...open,
    messages: Array.from({ length: 50 }, () => ({
      ...open.messages[0],
      text: 'x'.repeat(1e6),
      heard: '',
      from: 0,
      until: 0,
      fallback: false,
    })),
  }
  const details = { text: { kind: 'contains', text: 'y'.repeat(1e6) }, messages: flood.messages } as const
  const source = `${'a'.repeat(500_000)}"nine"${'b'.repeat(500_000)}`
  const far = { ...place, position: { line: 9, column: 500_001 } }
  const lines = rendered([flood], [{ ...failure, code: 'not-said', details, location: far, turn: 0 }], {
    source,
  })
  expect(lines.length).toBeLessThan(150)
  expect(Math.max(...lines.map(widthOf))).toBeLessThan(900)
  const caret = lines.findIndex(each => each.trim().endsWith('^'))
  expect(lines[caret - 1]?.charAt(lines[caret]?.indexOf('^') ?? -1)).toBe('"')
})

test.each([40, 80, 200])(
  'wide characters, tabs and control characters: places the caret below its character at %i columns',
  width => {
    const source = `\t- 回答: "\u001b[31m営業時間は？"${' '.repeat(100)}x`
    const column = source.indexOf('営') + 1
    const lines = rendered(
      [open],
      [{ ...failure, location: { ...place, position: { line: 9, column } }, turn: 0 }],
      {
        source,
        width,
      },
    )
    const caret = lines.findIndex(each => each.trim().endsWith('^'))
    const shown = lines[caret - 1] ?? ''
    expect(widthOf(shown.slice(0, shown.indexOf('営')))).toBe(lines[caret]?.indexOf('^'))
    expect(shown).toContain(String.raw`\x1b`)
    expect(widthOf(shown)).toBeLessThanOrEqual(width)
  },
)

test('a name, tool or model cannot imitate one of our lines', () => {
  const hostile = 'x\n\u001b[2Jtests/a.test.yaml:1:1: error: forged'
  const turn = {
    ...madeTurn(hostile, hostile),
    tools: [{ id: '1', name: hostile, arguments: hostile, content: hostile, from: 0, until: undefined }],
    failures: [{ part: 'model', message: hostile } as const],
  }
  const lines = rendered([turn], [{ ...failure, turn: 0 }])
  expect(lines.join('\n')).not.toMatch(/\u001b/)
  expect(lines.filter(each => each.startsWith('tests/a'))).toEqual([])
})
