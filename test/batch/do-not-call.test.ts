import { expect, test } from 'vitest'
import { collectNumbers } from '../../src/batch/do-not-call.ts'

test('the position of a number is only computed for a number that cannot be read', () => {
  let computed = 0
  const numbers = Array.from({ length: 1000 }, (_, index) => `+1202555${1000 + index}`)
  const table = {
    ...{ file: 'do-not-call.csv', columns: ['number'] },
    rows: [...numbers, 'later'].map(number => ({ cells: [number] })),
    positionOf() {
      computed += 1
      return { line: computed, column: 1 }
    },
  }
  const read = (text: string) =>
    text.startsWith('+') ? { number: text } : { problem: 'invalid-number' as const, readings: [] }
  const collected = collectNumbers([{ table, diagnostics: [] }], read)
  expect(collected.numbers.size).toBe(1000)
  expect(collected.problems).toMatchObject([{ code: 'unreadable-do-not-call', position: { line: 1 } }])
  expect(computed).toBe(1)
})
