import { expect, test } from 'vitest'
import { analysisResults } from '../../src/transcript/call-words.ts'

test.each([
  ['10', '10 of 10'],
  ['1', '1 of 10'],
  [7, '7 of 10'],
  ['7.5', '7.5 of 10'],
  ['11', '11'],
  [42, 42],
  ['85%', '85%'],
  ['8 of 10', '8 of 10'],
  ['pass', 'pass'],
  ['-1', '-1'],
  ['', ''],
  [true, true],
])('success %j is shown as %j', (successEvaluation, shown) => {
  expect(analysisResults({ successEvaluation })).toEqual([['success', shown]])
})

test('what says nothing is left out, and what has no name of ours keeps its own', () => {
  expect(analysisResults({ summary: null, successEvaluation: undefined, success: '3' })).toEqual([
    ['success', '3'],
  ])
})
