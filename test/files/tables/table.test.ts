import { CsvError, parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadTableReader } from '../../../src/files/tables/index.ts'
import { runs } from '../../helpers/every-case.ts'

const { readTable } = await loadTableReader()

async function read(text: string, sliceBytes?: number) {
  const table = await readTable(Buffer.from(text), sliceBytes === undefined ? {} : { sliceBytes })
  const rows = Array.from({ length: table.size }, (_, row) => table.rowAt(row))
  const problems = rows.flatMap(({ problem }, row) => {
    if (problem === undefined) return []
    const { line, column } = table.positionOf(row, problem.cell)
    return [`${line}:${column} ${problem.code}`]
  })
  return { ...table, cells: rows.map(({ cells }) => cells), problems }
}

describe('separators', () => {
  test.each([
    ['a,b\n1,2\n', ','],
    ['a;b\n1;2\n', ';'],
    ['a\tb\n1\t2\n', '\t'],
    ['"a,b,c";d\n1;2\n', ';'],
    ['sep=;\na;b\n1;2\n', ';'],
    ['sep=,\r\na,b;c;d\r\n1,2\r\n', ','],
    ['"sep=|"\na|b\n1|2\n', '|'],
    ['SEP=\t\na\tb\n1\t2\n', '\t'],
    ['\n\na;b\n1;2\n', ';'],
    ['a|b\n1|2\n', '|'],
    ['a,b;\n1,2;\n', ','],
    ['a;b,\r\n1;2,\r\n', ';'],
  ])('%j', async (text, separator) => {
    const table = await read(text)
    expect(table).toMatchObject({ separator, errors: [], cells: [['1', '2']] })
  })

  test('a header that two separators divide equally is an error', async () => {
    const { errors } = await read('name, first;phone\nAda;1\n')
    expect(errors).toMatchObject([{ code: 'two-separators', position: { line: 1, column: 1 } }])
    expect((await read('sep=;\nname, first;phone\nAda;1\n')).columns).toEqual(['name, first', 'phone'])
  })
})

test.each([
  ['sep=;\nid,phone\n1,2\n', 'wrong-separator', 2],
  ['sep=\t\nid;phone\n1;2\n', 'wrong-separator', 2],
  ['"id,phone,name"\n"1,2,""Ada, Lo"""\n', 'quoted-lines', 1],
  ['"id;phone"\n', 'quoted-lines', 1],
  ['“id”,“phone”\n“1”,“2”\n', 'curly-quotes', 1],
  ['question,answer\n„Offen?“,„Ja“\n', 'curly-quotes', 1],
])('%j is named for what it is: %s', async (text, code, line) => {
  expect((await readTable(Buffer.from(text))).errors).toMatchObject([{ code, position: { line } }])
})

test('a row that is quoted as a whole, or has curly quotes, is named for what it is', async () => {
  const { problems, rowAt } = await read(
    'q,a\n"Open?,Yes"\n“Stay”,“Yes, really”\n"Yes, I stay",\n“Stay”,curious\n","\n',
  )
  expect(problems).toEqual(['2:1 quoted-lines', '3:1 wrong-cell-count'])
  expect(rowAt(1).problem?.hint).toContain('curly quotes')
})

test('separators of another kind at the end of each line are ignored with a warning', async () => {
  const table = await read('id,phone,name;\n1,2,Ada;\n2,3,"Bo";\n')
  expect(table).toMatchObject({ columns: ['id', 'phone', 'name'], errors: [], problems: [] })
  expect(table.warnings).toMatchObject([{ code: 'trailing-separator', severity: 'warning' }])
  expect(table.cells.map(cells => cells[2])).toEqual(['Ada', 'Bo'])
  const others = await read('id,phone,name\n1,2,Ada;\n2,3,"B;o;"\n')
  expect(others).toMatchObject({ warnings: [], cells: [{ 2: 'Ada;' }, { 2: 'B;o;' }] })
  expect((await read('"city, state"\nRome\n')).errors).toEqual([])
})

describe('blank columns and rows', () => {
  test('are ignored as every spreadsheet exports them', async () => {
    const table = await read('id,phone,,\n1,2,,\n,,,\n\n3,4,,\n , ,,\n')
    expect(table).toMatchObject({ errors: [], warnings: [], problems: [] })
    expect(table.cells.map(cells => cells.slice(0, 2))).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(table.positionOf(1)).toEqual({ line: 5, column: 1 })
  })

  test('cells without a heading are a warning for each column', async () => {
    const { warnings, problems } = await read('id,,phone,\n1,,2,\n3,x,4,y\n5,z,6,\n')
    expect(problems).toEqual([])
    expect(warnings).toMatchObject([
      { code: 'no-heading', severity: 'warning', position: { line: 3, column: 3 } },
      { code: 'no-heading', position: { line: 3, column: 7 } },
    ])
    expect(warnings[0]?.message).toContain('2 cells')
  })

  test('a row may lack its last cells, and have further ones only if they are blank', async () => {
    const { problems } = await read('a,b,,\n1,2\n1\n1,2,,,,\n1,2,,,3\n')
    expect(problems).toEqual(['5:1 wrong-cell-count'])
  })
})

describe('quotes', () => {
  test.each([
    ['Ada "Al" Lo', 'Ada "Al" Lo'],
    ['5" screen', '5" screen'],
    ['="+12025550111"', '+12025550111'],
    ['"=""0012"""', '0012'],
    ['"=""+1 202 555 0111"""', '+1 202 555 0111'],
    [' "a, b" ', 'a, b'],
    ['""', ''],
    ['""""', '"'],
    ['"a\r\nb"', 'a\nb'],
    ['"a\rb\r\r\nc"', 'a\nb\n\nc'],
    ['=1+1', '=1+1'],
    ['="', '="'],
  ])('%s', async (written, value) => {
    expect(await read(`a,b\nx,${written}\ny,z\n`)).toMatchObject({
      ...{ problems: [], errors: [] },
      cells: [
        ['x', value],
        ['y', 'z'],
      ],
    })
  })

  test.each([
    ['an open quote', '"Ada,1', '2:1'],
    ['an open quote in the last cell', 'Ada,"1', '2:5'],
    ['text after a quote', '"Al" Lo,1', '2:1'],
    ['quoted parts', '"Al" "Lo",1', '2:1'],
    ['lines that are quoted halfway', '"Al\n" Lo,1', '2:1'],
  ])('%s costs only its own row', async (_, broken, at) => {
    for (const rest of ['Bo,2\n', '"Bo",2\n', '"Bo ""B""\nLo",2\n', 'Bo "B" Lo,"2"\n']) {
      const { problems, cells, errors } = await read(`name,phone\n${broken}\n${rest}Cy,3\n`)
      expect(errors).toEqual([])
      expect(problems[0]).toBe(`${at} broken-csv`)
      expect(cells.slice(-2).map(([, phone]) => phone)).toEqual(['2', '3'])
    }
  })

  test('a broken row is found after many other rows, and so are those after it', async () => {
    const before = 'a,b\n'.repeat(7_000)
    const last = `c,${'d'.repeat(60)}`
    const after = `${last}\n`.repeat(20_000)
    for (const [broken, column, message] of [
      ['x,"y\n', 3, 'unterminated quote in this cell'],
      ['x,"y" z\n', 3, 'unexpected text after the closing quote of this cell'],
      [`x,${'y'.repeat(2_000_000)}\n`, 1, 'this row is larger than 1 MB'],
    ] as const) {
      const table = await readTable(Buffer.from(`h1,h2\n${before}${broken}${after}`))
      expect(table.size).toBe(27_001)
      const { problem } = table.rowAt(7_000)
      expect(problem).toMatchObject({ code: 'broken-csv', message })
      expect(table.positionOf(7_000, problem?.cell)).toEqual({ line: 7_002, column })
      expect(table.rowAt(27_000)).toEqual({ cells: last.split(',') })
    }
  })

  test('a file full of open quotes is rejected before they are read again and again', async () => {
    const { errors } = await readTable(Buffer.from(`h\n${'"a""\n""b\n'.repeat(10_000)}`))
    expect(errors).toMatchObject([{ code: 'broken-csv' }])
  })
})

test.each([
  ['', 'empty-file'],
  [' \n\r\n', 'empty-file'],
  [',,\n,,\n', 'empty-file'],
  ['sep=;\n', 'empty-file'],
  ['a,"b\n1,2\n', 'broken-csv'],
  ['a,b,a\n1,2,3\n', 'duplicate-key'],
])('%j has no rows: %s', async (text, code) => {
  expect((await read(text)).errors).toMatchObject([{ code }])
})

test.each([['\n'], ['\r\n'], ['\r']])('lines and those of a cell may end with %j', async lineEnd => {
  const table = await read(['a,b', '1,"x', 'y"', '', '2,z', ''].join(lineEnd))
  expect(table.cells).toEqual([
    ['1', 'x\ny'],
    ['2', 'z'],
  ])
  expect([table.positionOf(-1, 1), table.positionOf(0, 1), table.positionOf(1, 1)]).toEqual([
    { line: 1, column: 3 },
    { line: 2, column: 3 },
    { line: 5, column: 3 },
  ])
})

const part = fc.constantFrom('a', ' ', ',', ';', '\t', '"', '""', '"b c"', '\n', '\r\n', '\r', 'ö', '')

test('cells are those of csv-parse where it accepts a text, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: part, maxLength: 30 }),
      fc.constantFrom(',', ';', '\t'),
      fc.integer({ min: 1, max: 9 }),
      async (rest, delimiter, sliceBytes) => {
        const text = `h1${delimiter}h2${delimiter}h3\n${rest}`
        const { cells, problems } = await read(text, sliceBytes)
        const options = { delimiter, trim: true, skip_empty_lines: true, relax_column_count: true }
        try {
          const expected: string[][] = parse(text, { ...options, record_delimiter: ['\r\n', '\n', '\r'] })
          if (problems.some(problem => problem.endsWith('broken-csv'))) return
          const plain = expected.map(row => row.map(cell => cell.replace(/\r\n?/g, '\n')))
          expect(cells).toEqual(plain.slice(1).filter(row => row.some(cell => cell.trim() !== '')))
        } catch (error) {
          if (!(error instanceof CsvError)) throw error
        }
      },
    ),
    {
      numRuns: runs(500),
      examples: [
        ['"" ""', ',', 1],
        ['" "\t', ',', 1],
      ],
    },
  )
})

test('any text is read: each line with text is a row or part of one, at the position of its cells', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: part, maxLength: 40 }), async rest => {
      const text = `h1,h2,h3\n${rest}`
      const { size, recordAt, positionOf } = await read(text)
      const bytes = Buffer.from(text)
      let end = 0
      for (let row = -1; row < size; row += 1) {
        const record = recordAt(row)
        expect(bytes.toString('utf8', end, record.start).replace(/[\s,"]/g, '')).toBe('')
        end = record.end
        for (const [index, cell] of record.cells.entries()) {
          const { line, column } = positionOf(row, index)
          const lines = text.split(/\r\n|\n|\r/).slice(line - 1)
          const written = bytes.toString('utf8', record.start, record.end).slice(cell.start, cell.end)
          expect(
            lines
              .join('\n')
              .slice(column - 1)
              .startsWith(written.replace(/\r\n?/g, '\n')),
          ).toBe(true)
        }
      }
      expect(bytes.toString('utf8', end).replace(/[\s,"]/g, '')).toBe('')
    }),
    { numRuns: runs(500) },
  )
})
