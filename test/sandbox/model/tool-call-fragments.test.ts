import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fragmentSchema, gatherToolCalls } from '../../../src/sandbox/model/chat-wire.ts'

function gather(fragments: readonly unknown[], taken: readonly string[] = []) {
  const calls = gatherToolCalls()
  for (const fragment of fragments) calls.add([fragmentSchema().parse(fragment)])
  return calls.all(taken)
}

test('orders tool calls by index, however their pieces are chunked and mixed', () => {
  const call = fc.record({
    name: fc.constantFrom('look', 'book'),
    pieces: fc.array(fc.string(), { maxLength: 5 }),
  })
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      (calls, turns) => {
        const queues = calls.map(({ name, pieces }, index) => [
          { index, id: `id-${index}`, function: { name, arguments: '' } },
          ...pieces.map(piece => ({ index, function: { arguments: piece } })),
        ])
        const mixed: unknown[] = []
        while (queues.some(({ length }) => length > 0)) {
          const open = queues.filter(({ length }) => length > 0)
          mixed.push(open[turns.next().value % open.length]?.shift())
        }
        expect(gather(mixed)).toEqual(
          calls.map(({ name, pieces }, index) => ({ id: `id-${index}`, name, arguments: pieces.join('') })),
        )
      },
    ),
  )
})

test('servers that count every call as the first, or not at all, are understood', () => {
  const pieces = [
    { id: 'a', function: { name: 'look', arguments: '{"day"' } },
    { id: 'a', function: { name: 'look', arguments: ':1}' } },
    { id: 'b', function: { name: 'book', arguments: { day: 2 } } },
  ]
  const expected = [
    { id: 'a', name: 'look', arguments: '{"day":1}' },
    { id: 'b', name: 'book', arguments: '{"day":2}' },
  ]
  expect(gather(pieces)).toEqual(expected)
  expect(gather(pieces.map(piece => ({ index: 0, ...piece })))).toEqual(expected)
})

test('gives each tool call an id that is unique in the conversation', () => {
  const pieces = [
    { index: 0, function: { name: 'look' } },
    { index: 1, id: 'one', function: { name: 'look' } },
    { index: 2, id: '', function: { name: 'look' } },
  ]
  expect(gather(pieces).map(({ id }) => id)).toEqual(['call-1', 'one', 'call-2'])
  expect(gather(pieces, ['one', 'call-1']).map(({ id }) => id)).toEqual(['call-2', 'call-3', 'call-4'])
})
