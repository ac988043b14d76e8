import { expect, test } from 'vitest'
import { parseBatchIds } from '../../../src/project/faq/index.ts'

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
  ['', { fault: 'empty', file: 'ids.txt' }],
  [' \n\n', { fault: 'empty' }],
  ['a\nb\na\n', { fault: 'repeated', file: 'ids.txt', line: 3, same: 1 }],
  ['a\tWhen?\nb\tWhen? \n', { fault: 'repeated', line: 2, same: 1 }],
  ['a\tWhen?\nb\n', { fault: 'mixed' }],
  ['a\n\tWhen?\n', { fault: 'mixed' }],
  ['\tWhen?\n', { fault: 'malformed', file: 'ids.txt', line: 1 }],
  ['a\u0007\n', { fault: 'malformed', line: 1 }],
])('rejects %j', (text, details) => {
  expect(() => parseBatchIds(text, 'ids.txt')).toThrow(
    expect.objectContaining({ code: 'batch-ids', details: expect.objectContaining(details) }),
  )
})
