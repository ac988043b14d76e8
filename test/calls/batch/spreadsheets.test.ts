import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planBatch } from '../../../src/calls/batch/index.ts'
import { readList } from '../../../src/calls/batch/read-list.ts'
import { createBatchState } from '../../../src/calls/batch/state.ts'
import { phoneNumberReader } from '../../../src/calls/place/index.ts'
import { readSource } from '../../../src/files/source/index.ts'
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
async function peopleIn(content: Buffer) {
  await writeFiles(folder, { 'list.csv': content })
  const { table, diagnostics } = await readList('list.csv', { cwd: folder })
  const { people, problems, findings, warnings } = planBatch({
    batch: { list: 'list.csv', from: '+12025550100' },
    ...{ now: 0, file: 'batch.yaml', usedVariables: undefined, state: createBatchState([]) },
    tables: table === undefined ? [] : [table],
    doNotCall: new Map(),
    readNumber,
  })
  const cellOf = (row: number, column: number | undefined) =>
    column === undefined ? undefined : table?.rows.at(row)?.cells[column]
  return {
    people: people.map(({ id, numbers, row, list: { map } }) => ({
      ...{ id, numbers, name: cellOf(row, map.name) },
      note: [...map.variables].flatMap(([name, index]) =>
        /note|notiz/i.test(name) ? [cellOf(row, index)] : [],
      )[0],
    })),
    findings: [...diagnostics, ...problems, ...findings.kept, ...warnings].filter(
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
  separator: fc.constantFrom(',', ';', '\t'),
  isDeclared: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  quotes: fc.constantFrom('all', 'needed', 'bare'),
  phones: fc.constantFrom('text', 'formula', 'apostrophe', 'spaces'),
  headings: fc.constantFrom(
    ['id', 'phone', 'name', 'note'],
    ['Customer ID', 'Phone #', 'Full Name', 'Note'],
    ['KUNDENNR.', 'Handy', 'Vor- und Nachname', 'Notiz'],
    ['Numéro client', 'N° de téléphone', 'Nom complet', 'note'],
    ['ID', 'Phone 1 - Value', 'NAME', 'Note:'],
  ),
  blankColumns: fc.integer({ min: 0, max: 3 }),
  blankRows: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 3 }),
  endsLine: fc.boolean(),
})

type Form = typeof form extends fc.Arbitrary<infer Value> ? Value : never

function written(rows: readonly Row[], given: Form): string {
  const { separator, isDeclared, lineEnd, quotes, phones, headings, blankColumns, blankRows, endsLine } =
    given
  const cell = (value: string) => {
    const isPlain = !value.includes(separator) && !/[\r\n]/.test(value) && value.trim() === value
    const isBare = isPlain && (quotes === 'bare' ? !value.startsWith('"') : !value.includes('"'))
    return isBare && quotes !== 'all'
      ? value
      : `"${value.replaceAll('"', '""').replace(/\r\n?|\n/g, lineEnd)}"`
  }
  const phone = (number: string) =>
    ({ text: number, formula: `="${number}"`, apostrophe: `'${number}`, spaces: ` ${number} ` })[phones]
  const line = (cells: readonly string[]) =>
    [...cells, ...Array<string>(blankColumns).fill('')].join(separator)
  const lines = [
    headings.map(cell),
    ...rows.map(each =>
      fields.map(field =>
        field === 'phone' && phones === 'formula' && quotes !== 'all'
          ? phone(each.phone)
          : cell(field === 'phone' ? phone(each.phone) : each[field]),
      ),
    ),
  ].map(line)
  for (const at of blankRows) lines.splice(1 + (at % lines.length), 0, line(['', '', '', '']))
  return `${isDeclared ? `sep=${separator}${lineEnd}` : ''}${lines.join(lineEnd)}${endsLine ? lineEnd : ''}`
}

const plain: Form = {
  ...{ separator: ',', isDeclared: false, lineEnd: '\n', quotes: 'all', phones: 'text', endsLine: true },
  ...{ headings: ['id', 'phone', 'name', 'note'], blankColumns: 0, blankRows: [] },
}

const encodings: Readonly<Record<string, (content: string) => Buffer>> = {
  'UTF-8': content => Buffer.from(content),
  'UTF-8 with a byte order mark': content => Buffer.from(`\ufeff${content}`),
  'UTF-16': content => Buffer.from(`\ufeff${content}`, 'utf16le'),
  'UTF-16, most significant byte first': content => Buffer.from(`\ufeff${content}`, 'utf16le').swap16(),
  'Windows-1252': content => Buffer.from(content, 'latin1'),
}

test.each(Object.entries(encodings))(
  'any table that a spreadsheet writes in %s has the people of plain CSV',
  async (name, encode) => {
    const cell = name === 'Windows-1252' ? fc.constantFrom(...words) : text(fc.constantFrom(...characters))
    await fc.assert(
      fc.asyncProperty(listOf(cell), form, async (rows, given) => {
        const expected = await peopleIn(Buffer.from(written(rows, plain)))
        expect(expected.people.map(({ numbers }) => numbers)).toEqual(rows.map(({ phone }) => [phone]))
        expect(await peopleIn(encode(written(rows, given)))).toEqual(expected)
      }),
      { numRuns: runs(60) },
    )
  },
)

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
