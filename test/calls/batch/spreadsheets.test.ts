import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planBatch } from '../../../src/calls/batch/index.ts'
import { readList } from '../../../src/calls/batch/read-list.ts'
import { createBatchState } from '../../../src/calls/batch/state.ts'
import { phoneNumberReader } from '../../../src/calls/place/index.ts'
import { readSource } from '../../../src/files/source/index.ts'
import { encodeAs } from '../../helpers/encode-as.ts'
import { runs } from '../../helpers/every-case.ts'
import { sharedFolder, writeFiles } from '../../helpers/folders.ts'

const folder = sharedFolder()
const readNumber = await phoneNumberReader()

interface Row {
  readonly id: string
  readonly phone: string
  readonly name: string
  readonly note: string
}

const fields = ['id', 'phone', 'name', 'note'] as const

/** Returns the people of a list with this content, and all findings. */
async function peopleIn(content: Buffer, encoding?: string) {
  await writeFiles(folder, { 'list.csv': content })
  const { table, diagnostics } = await readList('list.csv', { cwd: folder, encoding })
  const { people, problems, findings, warnings } = planBatch({
    batch: { list: 'list.csv', from: '+12025550100' },
    ...{ now: 0, file: 'batch.yaml', usedVariables: undefined, state: createBatchState([]) },
    tables: table === undefined ? [] : [table],
    doNotCall: new Map(),
    readNumber,
  })
  const cellOf = (row: number, column: number | undefined) =>
    column === undefined ? undefined : (table?.rows.at(row)?.cells[column] ?? '')
  return {
    people: people.map(({ id, numbers, row, list: { map } }) => ({
      ...{ id, numbers, name: cellOf(row, map.name) },
      note: [...map.variables].flatMap(([name, index]) =>
        /note|notiz/i.test(name) ? [cellOf(row, index)] : [],
      )[0],
    })),
    findings: [...diagnostics, ...problems, ...findings.diagnostics, ...warnings].filter(
      ({ code }) => code !== 'no-window' && code !== 'guessed-encoding',
    ),
  }
}

const text = (unit: fc.Arbitrary<string>) => fc.string({ unit, maxLength: 8 })
const characters = [
  'a',
  'B',
  ' ',
  ',',
  ';',
  '\t',
  '"',
  '""',
  "'",
  '\n',
  '\r\n',
  '\r',
  '=',
  'é',
  'Ł',
  '😀',
  '.',
  '\u00a0',
]
// Which encoding other bytes are in can only be told from words.
const words = ['Jörg', 'Zoë', 'Müller, Ada', 'Ada "Al" Lo', 'François', '5" x; y', 'a\nb']
const row = (cell: fc.Arbitrary<string>) =>
  fc.tuple(fc.integer({ min: 100, max: 199 }), cell, cell).map(
    ([last, name, note]): Row => ({
      ...{ id: `c${last}`, phone: `+12025550${last}`, name, note },
    }),
  )
const listOf = (cell: fc.Arbitrary<string>) =>
  fc.uniqueArray(row(cell), { minLength: 1, maxLength: 6, selector: ({ phone }) => phone })

const form = fc.record({
  separator: fc.constantFrom(',', ';', '\t', '|'),
  isDeclared: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  quotes: fc.constantFrom('all', 'needed', 'bare'),
  phones: fc.constantFrom('text', 'formula', 'apostrophe', 'spaces'),
  headings: fc.constantFrom<(readonly string[])[]>(
    ['id', 'phone', 'name', 'note'],
    ['Customer ID', 'Phone #', 'Full Name', 'Note'],
    ['KUNDENNR.', 'Handy', 'Vor- und Nachname', 'Notiz'],
    ['Numéro client', 'N° de téléphone', 'Nom complet', 'note'],
    ['ID', 'Phone 1 - Value', 'NAME', 'Note:'],
  ),
  blankColumns: fc.integer({ min: 0, max: 3 }),
  blankRows: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 3 }),
  endsLine: fc.boolean(),
  /** True for a program that drops the blank cells at the end of a row. */
  isRagged: fc.boolean(),
})

type Form = typeof form extends fc.Arbitrary<infer Value> ? Value : never

/** Writes a table; `formulas` is the index of a column whose cells are formulas as they are. */
function writeTable(
  [header = [], ...rows]: readonly (readonly string[])[],
  { separator, isDeclared, lineEnd, quotes, blankColumns, blankRows, endsLine, isRagged }: Form,
  formulas = -1,
): string {
  const cell = (value: string) => {
    const isPlain = !value.includes(separator) && !/[\r\n]/.test(value) && value.trim() === value
    const isBare = isPlain && (quotes === 'bare' ? !value.startsWith('"') : !value.includes('"'))
    return isBare && quotes !== 'all'
      ? value
      : `"${value.replaceAll('"', '""').replace(/\r\n?|\n/g, lineEnd)}"`
  }
  const line = (cells: readonly string[]) => {
    const all = [...cells, ...Array<string>(blankColumns).fill('')]
    // A single quoted cell with separators may be a whole line in quotes, which is an error.
    const length = Math.max(2, all.findLastIndex(each => each !== '') + 1)
    return (isRagged ? all.slice(0, length) : all).join(separator)
  }
  const lines = [
    header.map(cell),
    ...rows.map(cells => cells.map((value, index) => (index === formulas ? value : cell(value)))),
  ].map(line)
  for (const at of blankRows) lines.splice(1 + (at % lines.length), 0, line(header.map(() => '')))
  return `${isDeclared ? `sep=${separator}${lineEnd}` : ''}${lines.join(lineEnd)}${endsLine ? lineEnd : ''}`
}

function written(rows: readonly Row[], given: Form): string {
  const { quotes, phones, headings } = given
  const phone = (number: string) =>
    ({ text: number, formula: `="${number}"`, apostrophe: `'${number}`, spaces: ` ${number} ` })[phones]
  const cells = rows.map(row => fields.map(field => (field === 'phone' ? phone(row.phone) : row[field])))
  const formulas = phones === 'formula' && quotes !== 'all' ? fields.indexOf('phone') : -1
  return writeTable([headings, ...cells], given, formulas)
}

const plain: Form = {
  ...{
    separator: ',',
    isDeclared: false,
    lineEnd: '\n',
    quotes: 'all',
    phones: 'text',
    endsLine: true,
    isRagged: false,
  },
  ...{ headings: ['id', 'phone', 'name', 'note'], blankColumns: 0, blankRows: [] },
}

/** Cells that an encoding has, and whether the user names it. */
const anyText = text(fc.constantFrom(...characters))
const encodings: Readonly<
  Record<string, { encode(content: string): Buffer; cells: fc.Arbitrary<string>; encoding?: string }>
> = {
  'UTF-8': { encode: content => Buffer.from(content), cells: anyText },
  'UTF-8 with a byte order mark': { encode: content => Buffer.from(`\ufeff${content}`), cells: anyText },
  'UTF-16': { encode: content => encodeAs(content, 'utf-16le'), cells: anyText },
  'UTF-16, most significant byte first': {
    encode: content => encodeAs(content, 'utf-16be'),
    cells: anyText,
  },
  'Windows-1252': {
    encode: content => Buffer.from(content, 'latin1'),
    cells: fc.constantFrom(...words),
  },
  ...Object.fromEntries(
    (
      [
        ['windows-1250', ['Łukasz', 'Żak, Świątek', 'Ada "Al" Lo', '5" x; y', 'a\nb']],
        ['gbk', ['李雷', '王芳, "小"', '5" x; y', 'a\nb']],
        ['shift_jis', ['髙橋', '山田, 太郎', 'ソ"ソ', '5" x; y', 'a\nb']],
        ['euc-kr', ['김철수', '이영희, "이"', '5" x; y', 'a\nb']],
      ] as const
    ).map(([encoding, cells]) => [
      encoding,
      {
        encoding,
        encode: (content: string) => encodeAs(content, encoding),
        cells: fc.constantFrom(...cells),
      },
    ]),
  ),
}

describe.each(Object.entries(encodings))('in %s', (_, { encode, cells, encoding }) => {
  // Not every encoding has the letters of the other headings.
  const forms = encoding === undefined ? form : form.map(given => ({ ...given, headings: fields }))

  test('any table that a spreadsheet writes has the people of plain CSV', async () => {
    await fc.assert(
      fc.asyncProperty(listOf(cells), forms, async (rows, given) => {
        const expected = await peopleIn(Buffer.from(written(rows, plain)))
        expect(expected.people.map(({ numbers }) => numbers)).toEqual(rows.map(({ phone }) => [phone]))
        expect(await peopleIn(encode(written(rows, given)), encoding)).toEqual(expected)
      }),
      { numRuns: runs(40) },
    )
  })

  const rowsOf = fc.array(fc.tuple(cells, cells, cells), { minLength: 1, maxLength: 6 })
  const tableIn = async (content: Buffer, usedColumns?: readonly string[]) => {
    await writeFiles(folder, { 'table.csv': content })
    const { value, diagnostics } = await readSource('table.csv', { cwd: folder, usedColumns, encoding })
    return { value, findings: diagnostics.filter(({ code }) => code !== 'guessed-encoding') }
  }

  test('so have FAQ files their entries, and files of rows their rows', async () => {
    const headings = fc.constantFrom(
      ['question', 'answer', 'category'],
      ['Q', 'A', 'CATEGORY:'],
      ['Pregunta', 'Response', 'Kategorie'],
    )
    await fc.assert(
      fc.asyncProperty(rowsOf, headings, form, async (rows, header, given) => {
        const faq = await tableIn(
          Buffer.from(writeTable([['question', 'answer', 'category'], ...rows], plain)),
        )
        expect(await tableIn(encode(writeTable([header, ...rows], given)))).toEqual(faq)
        const [used = ''] = header
        const cases = await tableIn(Buffer.from(writeTable([header, ...rows], plain)), [used])
        expect(await tableIn(encode(writeTable([header, ...rows], given)), [used])).toEqual(cases)
        const filled = rows.filter(cells => cells.some(cell => cell.trim() !== ''))
        expect(cases).toMatchObject({ findings: [], value: { length: filled.length } })
      }),
      { numRuns: runs(40) },
    )
  })
})

test('a damaged list has a finding, or everybody', async () => {
  const damage = fc.constantFrom('"', '""', ',', '\n', '\0', '\ufffd', ';', '\u0080', 'x')
  await fc.assert(
    fc.asyncProperty(
      listOf(fc.constantFrom('Ada', 'Bo, B', 'C "C"')),
      damage,
      fc.nat(),
      fc.boolean(),
      async (rows, bytes, at, isCut) => {
        const content = written(rows, { ...plain, quotes: 'needed' })
        const position = at % content.length
        const damaged = isCut
          ? content.slice(0, position)
          : content.slice(0, position) + bytes + content.slice(position)
        const { people, findings } = await peopleIn(Buffer.from(damaged, 'latin1'))
        if (findings.length === 0 && !isCut) expect(people).toHaveLength(rows.length)
        if (findings.length === 0)
          expect(people.length).toBeGreaterThanOrEqual(content.slice(0, position).split('\n').length - 2)
      },
    ),
    { numRuns: runs(200) },
  )
})

test.each([
  ['FAQ entries', undefined, 'question,answer\na,b\n"c",d\n'],
  ['rows of tests', [], 'day,time\na,b\n"c",d\n'],
])('a damaged table of %s has a finding, or all rows', async (_, usedColumns, content) => {
  for (const bytes of ['"', '""', ',', '\n', '\0', '\x80', 'x'])
    for (let at = 0; at < content.length; at += 1) {
      const damaged = Buffer.from(content.slice(0, at) + bytes + content.slice(at), 'latin1')
      await writeFiles(folder, { 'table.csv': damaged })
      const { value, diagnostics } = await readSource('table.csv', { cwd: folder, usedColumns })
      if (diagnostics.length > 0) continue
      const rows = Array.isArray(value) ? value : (value as { faq: unknown[] }).faq
      expect(rows.length).toBeGreaterThanOrEqual(2)
    }
})
