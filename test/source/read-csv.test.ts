import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCsv } from '../../src/source/read-csv.ts'

const brief = (text: string) => readCsv(text).errors.map(({ code, offset }) => `${code}@${offset}`)

describe('a FAQ file as CSV', () => {
  test('reads entries by their header, in any order of columns', () => {
    const text =
      '\uFEFFanswer,id,question,updatable,category\r\n"Nine to ""five""\r\nMon, Tue",f1,Hours?,TRUE,\r\nYes,,Open?,,general\r\n'
    const { value, errors } = readCsv(text)
    expect(errors).toEqual([])
    expect(value).toEqual({
      faq: [
        { id: 'f1', question: 'Hours?', answer: 'Nine to "five"\r\nMon, Tue', updatable: true },
        { question: 'Open?', answer: 'Yes', category: 'general' },
      ],
    })
  })

  test('returns the offsets of each cell, including quotes', () => {
    const text = 'id,question,answer\n,"a ""b""",é\n\nx,y,""\n'
    const { csv, offsetOf } = readCsv(text)
    const cells = csv?.records.map(({ cells }) => cells.map(({ start, end }) => text.slice(start, end)))
    expect(cells).toEqual([
      ['', '"a ""b"""', 'é'],
      ['x', 'y', '""'],
    ])
    expect(csv?.records.map(({ raw }) => raw)).toEqual([',"a ""b""",é', 'x,y,""'])
    expect(offsetOf(['faq', 1, 'question'], 'value')).toBe(text.indexOf('y,""'))
    expect(offsetOf(['faq', 0, 'category'], 'value')).toBe(text.indexOf(',"a'))
    expect(offsetOf([], 'value')).toBe(0)
  })

  test.each([
    ['question,anser\na,b\n', ['unknown-key@9', 'missing@0']],
    ['question;answer\na;b\n', ['unknown-key@0', 'missing@0', 'missing@0']],
    ['question,answer,question\na,b,c\n', ['duplicate-key@16']],
    ['question,answer,note\na,b,c\n', ['unknown-key@16']],
    ['question,answer\na\n', ['wrong-cell-count@16']],
    ['question,answer\na,b,c\n', ['wrong-cell-count@16']],
    ['question,answer\na,"b\n', ['broken-csv@18']],
    ['question,answer\n"a" x,b\n', ['broken-csv@16']],
    ['question,answer\na,b"c\n', ['broken-csv@18']],
    ['question,answer\n', []],
  ])('%j gives %j', (text, expected) => {
    expect(brief(text)).toEqual(expected)
  })

  test('has hints for semicolons and mistyped columns', () => {
    expect(readCsv('question;answer\na;b\n').errors.at(-1)?.hint).toContain('semicolons')
    expect(readCsv('question,anser\na,b\n').errors[0]?.hint).toBe('did you mean answer?')
  })

  test('leaves invalid booleans for the check to report', () => {
    expect(readCsv('question,answer,updatable\na,b,maybe\n').value).toEqual({
      faq: [{ question: 'a', answer: 'b', updatable: 'maybe' }],
    })
  })

  const cell = fc.record({
    text: fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\r\n', '\n', ' ', ';') }),
    quote: fc.boolean(),
  })
  const written = ({ text, quote }: { text: string; quote: boolean }) =>
    quote || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

  test('returns exact values and offsets for any cells and line ends', () => {
    const lineEnd = fc.constantFrom('\n', '\r\n')
    const row = fc.tuple(cell, cell, cell, lineEnd)
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), fc.boolean(), (rows, mark) => {
        const lines = rows.map(
          ([id, question, answer, end]) => [id, question, answer].map(written).join(',') + end,
        )
        const text = `${mark ? '\uFEFF' : ''}id,question,answer\n${lines.join('')}`
        const { csv, errors } = readCsv(text)
        expect(errors).toEqual([])
        expect(csv?.records.map(({ cells }) => cells.map(({ value }) => value))).toEqual(
          rows.map(row => row.slice(0, 3).map(found => (typeof found === 'string' ? found : found.text))),
        )
        expect(
          csv?.records.map(({ cells }) => cells.map(({ start, end }) => text.slice(start, end))),
        ).toEqual(rows.map(([id, question, answer]) => [id, question, answer].map(written)))
      }),
    )
  })
})
