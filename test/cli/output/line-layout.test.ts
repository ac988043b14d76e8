import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { type LineView, layOut } from '../../../src/cli/output/line-layout.ts'

const view: LineView = { above: [], prompt: 'user       ', line: '', cursor: 0, columns: 40, height: 24 }

test('a short line stands behind its prompt, the cursor where it is edited', () => {
  expect(layOut({ ...view, line: 'hello', cursor: 2 })).toEqual({
    rows: ['user       hello'],
    cursor: { row: 0, column: 13 },
  })
})

test('a long line wraps under its beginning, before the last column', () => {
  const line = 'abcdefghijklmnopqrstuvwxyz0123456789'
  expect(layOut({ ...view, line, cursor: line.length })).toEqual({
    rows: ['user       abcdefghijklmnopqrstuvwxyz01', '           23456789'],
    cursor: { row: 1, column: 19 },
  })
})

test('wide characters are never cut in two', () => {
  const { rows, cursor } = layOut({ ...view, columns: 22, line: '日本語日本語', cursor: 5 })
  expect(rows).toEqual(['user       日本語日本', '           語'])
  expect(cursor).toEqual({ row: 1, column: 11 })
})

test('in a narrow terminal the line goes below its prompt', () => {
  expect(layOut({ ...view, columns: 18, line: 'hello', cursor: 5 })).toEqual({
    rows: ['user       ', 'hello'],
    cursor: { row: 1, column: 5 },
  })
})

test('pasted control characters are seen, not obeyed', () => {
  expect(layOut({ ...view, line: 'a\u001b[2Jb', cursor: 6 }).rows).toEqual(['user       a\\x1b[2Jb'])
})

test('of what stands above only the end is shown where there is little room', () => {
  expect(layOut({ ...view, above: ['1', '2', '3', '4'], height: 4 }).rows).toEqual(['3', '4', 'user       '])
})

test('everything fits the terminal, and the cursor stands before the character it is at', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 200 })
  const numbers = fc.record({
    columns: fc.integer({ min: 12, max: 100 }),
    height: fc.integer({ min: 2, max: 30 }),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(line, fc.array(fc.constant('above'), { maxLength: 40 }), numbers, (words, above, n) => {
      const { columns, height } = n
      const cursor = Math.round(words.length * n.at)
      const drawing = layOut({ ...view, line: words, cursor, above, columns, height })
      expect(drawing.rows.length).toBeLessThan(Math.max(2, height))
      for (const row of drawing.rows) expect(stringWidth(row)).toBeLessThanOrEqual(columns)
      expect(drawing.cursor.row).toBeLessThan(drawing.rows.length)
      expect(drawing.cursor.row).toBeGreaterThanOrEqual(0)
      expect(drawing.cursor.column).toBeLessThan(columns)
    }),
  )
})
