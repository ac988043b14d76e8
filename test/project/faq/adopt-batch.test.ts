import { expect, test } from 'vitest'
import { parseBatchIds } from '../../../src/project/faq/adopt-batch.ts'

test('ids by order, and by question', () => {
  expect(parseBatchIds('a\r\n\n b \n', 'ids.txt')).toEqual([
    { id: 'a', question: undefined, line: 1 },
    { id: 'b', question: undefined, line: 3 },
  ])
  expect(parseBatchIds('a\tWhen?\tReally?\n', 'ids.txt')).toEqual([
    { id: 'a', question: 'When?\tReally?', line: 1 },
  ])
})

test.each([
  ['', 'holds no ids'],
  [' \n\n', 'holds no ids'],
  ['a\nb\na\n', 'ids.txt:3 repeats line 1'],
  ['a\tWhen?\nb\tWhen? \n', 'ids.txt:2 repeats line 1'],
  ['a\tWhen?\nb\n', 'mixes lines'],
  ['a\n\tWhen?\n', 'mixes lines'],
  ['\tWhen?\n', 'ids.txt:1 is no id'],
  ['a\u0007\n', 'ids.txt:1 is no id'],
])('%j is refused', (text, message) => {
  expect(() => parseBatchIds(text, 'ids.txt')).toThrow(message)
})
