import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readFaqTable } from '../../../src/files/source/read-csv.ts'

const brief = async (text: string) =>
  (await readFaqTable(text)).errors.map(({ code, offset }) => `${code}@${offset}`)

describe('a FAQ file as CSV', () => {
  test('reads entries by their header, in any order of columns', async () => {
    const text =
      '\uFEFFanswer,id,question,updatable,category\r\n"Nine to ""five""\r\nMon, Tue",f1,Hours?,TRUE,\r\nYes,,Open?,,general\r\n'
    const { value, errors } = await readFaqTable(text)
    expect(errors).toEqual([])
    expect(value).toEqual({
      faq: [
        { id: 'f1', question: 'Hours?', answer: 'Nine to "five"\nMon, Tue', updatable: true },
        { question: 'Open?', answer: 'Yes', category: 'general' },
      ],
    })
  })

  test.each([
    ['QUESTION;Answer ;Category', 'category'],
    ['Frage;Antwort;Kategorie', 'category'],
    ['问题;答案;类别', 'category'],
    ['السؤال;الإجابة;الفئة', 'category'],
    ['الاسئله;الاجابه;الفئه', 'category'],
    ['السُّؤال;الـرد;التصنيف', 'category'],
    ['Q;A;Category', 'category'],
    ['F.;A.;Kategorie', 'category'],
    ['Query;Response;Category', 'category'],
    ['Question text;Reply;Category', 'category'],
    ['Pitanje;Odgovor;Kategorija', 'category'],
    ['प्रश्न;उत्तर;श्रेणी', 'category'],
    ['คำถาม;คำตอบ;หมวดหมู่', 'category'],
    ['Câu hỏi;Câu trả lời;Danh mục', 'category'],
    ['Pregunta\tRespuesta\tUpdatable', 'updatable'],
    ['sep=;\r\nQuestion;Réponse;Catégorie', 'category'],
  ])('headings of spreadsheets: %s', async (header, third) => {
    const separator = header.includes('\t') ? '\t' : ';'
    const text = `${header}\r\n${['Open?', 'Yes', 'true'].join(separator)}\r\n`
    const { value, errors } = await readFaqTable(text)
    expect(errors).toEqual([])
    expect(value).toMatchObject({
      faq: [{ question: 'Open?', answer: 'Yes', [third]: third === 'updatable' || 'true' }],
    })
  })

  test('returns the offsets of each cell, including quotes', async () => {
    const text = 'id,question,answer\n,"a ""b""",é\n\nx,y,""\n'
    const { csv, offsetOf } = await readFaqTable(text)
    const cells = [0, 1].map(row => csv?.extentsOf(row).cells.map(({ start, end }) => text.slice(start, end)))
    expect(cells).toEqual([
      ['', '"a ""b"""', 'é'],
      ['x', 'y', '""'],
    ])
    expect(offsetOf(['faq', 1, 'question'], 'value')).toBe(text.indexOf('y,""'))
    expect(offsetOf(['faq', 0, 'category'], 'value')).toBe(text.indexOf(',"a'))
    expect(offsetOf([], 'value')).toBe(0)
  })

  test.each([
    ['question,anser\na,b\n', ['missing@0']],
    ['question,answer,question\na,b,c\n', ['duplicate-key@undefined']],
    ['question,answer,Antwort\na,b,c\n', ['duplicate-key@16']],
    ['question,answer,note\na,b,c\n', ['unknown-key@16']],
    ['question,answer,P\na,b,c\n', ['unknown-key@16']],
    ['Q,A,R\na,b,c\n', ['duplicate-key@4']],
    ['question,answer\na,b,c\n', ['wrong-cell-count@16']],
    ['question,answer\na,"b\nc,d\n', ['broken-csv@18']],
    ['question,answer\n"a" x,b\n', ['broken-csv@16']],
    ['question,answer\na,b"c\n', []],
    ['question,answer\n', ['no-rows@undefined']],
    ['question,answer\na,b\nquestion,answer\n', ['repeated-header@20']],
  ])('%j gives %j', async (text, expected) => {
    expect(await brief(text)).toEqual(expected)
  })

  test('a column that is not used is a warning, and a field if all columns are kept', async () => {
    const text = 'question;answer;Stand;Notiz\na;b;2026;n\n'
    const { errors, value } = await readFaqTable(text)
    expect(errors).toMatchObject([
      { code: 'unknown-key', severity: 'warning', message: 'columns Stand, Notiz are not used' },
    ])
    expect(value).toEqual({ faq: [{ question: 'a', answer: 'b' }] })
    const kept = await readFaqTable(text, { keepsColumns: true })
    expect(kept.errors).toEqual([])
    expect(kept.value).toEqual({ faq: [{ question: 'a', answer: 'b', Stand: '2026', Notiz: 'n' }] })
  })

  test.each([
    ['question,Anser\na,b\n', 'rename column Anser if it is the answer'],
    ['question,answer,categry\na,b,c\n', 'did you mean category by categry?'],
    ['Our FAQ\n\nQuestion,Answer\na,b\n', 'line 3 looks like the header: remove the lines above it'],
    ['Our FAQ\nQuestion;Answer\na;b\n', 'line 2 looks like the header: remove the lines above it'],
    ['A;B;C;Q\nQuestion;Answer;x;y\na;b;c;d\n', 'line 2 looks like the header: remove the lines above it'],
    ['Our FAQ,,\nQuestion,Answer,\na,b,\n', 'line 2 looks like the header: remove the lines above it'],
    ['Open?;Yes\n', 'the first line must name the columns, such as question;answer; it has Open?, Yes'],
  ])('%j has one finding, with the hint %s', async (text, hint) => {
    expect((await readFaqTable(text)).errors).toMatchObject([{ hint }])
  })

  test('leaves invalid booleans for the check to report', async () => {
    expect((await readFaqTable('question,answer,updatable\na,b,maybe\n')).value).toEqual({
      faq: [{ question: 'a', answer: 'b', updatable: 'maybe' }],
    })
  })

  const cell = fc.record({
    text: fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\r\n', '\n', '\r', ' ', ';') }),
    quote: fc.boolean(),
  })
  const written = ({ text, quote }: { text: string; quote: boolean }) =>
    quote || /[",\r\n]/.test(text) || text.trim() !== text ? `"${text.replaceAll('"', '""')}"` : text

  test('returns exact values and offsets for any cells and line ends', async () => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
    const plain = (text: string) => text.replace(/\r\n?/g, '\n')
    const row = fc
      .tuple(cell, cell, cell, lineEnd)
      .filter(([id, question, answer]) => (id.text + question.text + answer.text).trim() !== '')
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), fc.boolean(), async (rows, mark) => {
        const lines = rows.map(
          ([id, question, answer, end]) => [id, question, answer].map(written).join(',') + end,
        )
        const text = `${mark ? '\uFEFF' : ''}id,question,answer\n${lines.join('')}`
        const { csv, value, errors } = await readFaqTable(text)
        expect(errors).toEqual([])
        expect(value).toEqual({
          faq: rows.map(([id, question, answer]) => ({
            ...(id.text === '' ? {} : { id: plain(id.text) }),
            ...{ question: plain(question.text), answer: plain(answer.text) },
          })),
        })
        expect(
          rows.map((_, row) => csv?.extentsOf(row).cells.map(({ start, end }) => text.slice(start, end))),
        ).toEqual(rows.map(([id, question, answer]) => [id, question, answer].map(written)))
      }),
    )
  })
})
