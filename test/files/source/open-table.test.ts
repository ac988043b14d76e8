import { symlink, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadTables, type Table, type TableOptions } from '../../../src/files/source/index.ts'
import { encodeAs } from '../../helpers/encode-as.ts'
import { runs } from '../../helpers/every-case.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const hints = { tooLarge: 'split it', encoding: 'save it as UTF-8' }
const { openTable } = await loadTables()
const readTable = async (file: string, options: Omit<TableOptions, 'hints'>) =>
  (await openTable(file, { ...options, hints })).parse()

async function list(content: string | Buffer, name = 'contacts.csv') {
  const cwd = await temporaryFolder({ [name]: content })
  const { table, diagnostics } = await readTable(name, { cwd })
  return { cwd, table, cells: table && rowsOf(table).map(each => each?.cells), diagnostics }
}

const rowsOf = ({ rows }: Table) => Array.from({ length: rows.length }, (_, row) => rows.at(row))
const problemsOf = (table: Table) => rowsOf(table).map(each => each?.problem?.code)

const umlauts = 'phone;name\n+12025550101;Jörg\n'
const rows = [['+12025550101', 'Jörg']]

test.each([
  ['commas', 'phone,name\n+12025550101,Jörg\n'],
  ['semicolons', umlauts],
  ['tabs', umlauts.replaceAll(';', '\t')],
  ['a byte order mark', `\ufeff${umlauts}`],
  ['CRLF', umlauts.replaceAll('\n', '\r\n')],
  ['quotes', '"phone";"name"\n"+12025550101";"Jörg"'],
  ['spaces and empty lines', '\n phone ; name\n\n +12025550101 ; Jörg \n\n'],
  ['UTF-16', Buffer.from(`\ufeff${umlauts}`, 'utf16le')],
  ['UTF-16, most significant byte first', Buffer.from(`\ufeff${umlauts}`, 'utf16le').swap16()],
])('reads a list with %s', async (_, content) => {
  expect(await list(content)).toMatchObject({
    cells: rows,
    diagnostics: [],
    table: { columns: ['phone', 'name'] },
  })
})

test('a list in another encoding is read with a warning, unless the encoding is named', async () => {
  const bytes = encodeAs('phone;name\n+12025550101;Łukasz Żak\n', 'windows-1250')
  const { cells, cwd, diagnostics } = await list(bytes)
  expect(cells).toEqual([['+12025550101', 'Łukasz Żak']])
  expect(diagnostics).toMatchObject([
    {
      ...{ code: 'guessed-encoding', severity: 'warning', position: { line: 2, column: 14 } },
      hint: hints.encoding,
    },
  ])
  expect(diagnostics[0]?.message).toContain('windows-1250, as in “Łukasz”')
  const named = await readTable('contacts.csv', { cwd, encoding: 'windows-1257' })
  expect(named).toMatchObject({ diagnostics: [] })
  expect(named.table?.rows.at(0)?.cells[1]).toBe('£ukasz Æak')
})

test('a separator of a header that is part of a quoted name is not one', async () => {
  const { table, cells } = await list('"name, first; last",phone\nAda,1\n')
  expect(table?.columns).toEqual(['name, first; last', 'phone'])
  expect(cells).toEqual([['Ada', '1']])
})

test('cells stay text', async () => {
  expect((await list('phone,code\n0012,1.2E+10\n')).cells).toEqual([['0012', '1.2E+10']])
  const { cells, table } = await list(
    '{"phone":12025550101,"vip":true,"note":null}\n{"name":"Bo"}\n',
    'contacts.jsonl',
  )
  expect(table?.columns).toEqual(['phone', 'vip', 'note', 'name'])
  expect(cells).toEqual([
    ['12025550101', 'true', '', ''],
    ['', '', '', 'Bo'],
  ])
  expect((await list('[{"phone":"+1"}]', 'contacts.json')).cells).toEqual([['+1']])
})

test.each([
  ['workbook', Buffer.from('PK\u0003\u0004rest', 'latin1'), 'contacts.xlsx'],
  ['workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'contacts.csv'],
  ['empty-file', '\n \n', 'contacts.csv'],
  ['broken-csv', 'a,"b\nx,1\n', 'contacts.csv'],
  ['duplicate-key', 'a,b,a\n1,2,3\n', 'contacts.csv'],
  ['not-a-list', '{"a":1}', 'contacts.json'],
  ['merge-conflict', 'a,b\n<<<<<<< ours\n1,2\n=======\n1,3\n>>>>>>> theirs\n', 'contacts.csv'],
  ['merge-conflict', '{"a":1}\n>>>>>>> theirs\n', 'contacts.jsonl'],
  ['binary-file', Buffer.from([1, 2, 0, 3]), 'contacts.csv'],
])('a file is rejected: %s', async (code, content, name) => {
  const { table, diagnostics } = await list(content, name)
  expect(table).toBeUndefined()
  expect(diagnostics).toMatchObject([{ code, severity: 'error', file: name }])
})

test('a row with too many cells, and one that is not an object, has a problem', async () => {
  const { table } = await list('a,b\n1\n1,2\n1,2,3\n')
  expect(table && problemsOf(table)).toEqual([undefined, undefined, 'wrong-cell-count'])
  const json = await list('{"a":1}\n[1]\nnot JSON\n{"a":{"b":1}}\n', 'contacts.ndjson')
  expect(json.table && problemsOf(json.table)).toEqual([
    ...[undefined, 'not-an-object', 'not-an-object', 'wrong-type'],
  ])
})

test('a zero byte is located', async () => {
  expect((await list('phone\n+12025550101\n+1202555\0\n')).diagnostics).toMatchObject([
    { code: 'binary-file', position: { line: 3, column: 9 } },
  ])
  expect((await list(Buffer.from('\ufeffphone\n1\0', 'utf16le'))).diagnostics).toMatchObject([
    { code: 'binary-file', position: { line: 2, column: 2 } },
  ])
})

test.each([
  ['contacts.csv', 500, hints.tooLarge],
  ['contacts.jsonl', 500, hints.tooLarge],
  ['contacts.json', 50, 'save it as JSON Lines (.jsonl), one object per line, or as CSV'],
])('%s may have %i MB', async (name, megabytes, hint) => {
  const { cwd } = await list('', name)
  await truncate(join(cwd, name), megabytes * 1024 ** 2 + 1)
  const message = `the file is larger than ${megabytes} MB`
  expect((await readTable(name, { cwd })).diagnostics).toMatchObject([{ code: 'too-large', message, hint }])
  const rules = { includingFile: join(cwd, 'batch.yaml'), folder: cwd, allowOutsideFiles: false }
  expect((await readTable(name, { cwd, includedBy: rules })).diagnostics).toMatchObject([{ message, hint }])
})

test('JSON Lines of more than 50 MB are read', async () => {
  const padding = ' '.repeat(1_000_000)
  const { table } = await list(`{"phone":"1"}${padding}\n`.repeat(60), 'contacts.jsonl')
  expect(table?.rows.length).toBe(60)
  expect(table?.positionOf(59)).toEqual({ line: 60, column: 1 })
})

test('items of a JSON list have positions', async () => {
  const value = fc.jsonValue({ maxDepth: 2 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 2),
      async (items, space) => {
        const text = JSON.stringify(items, null, space)
        const { table } = await list(text, 'list.json')
        const lines = text.split('\n')
        for (const [index, item] of items.entries()) {
          const { line = 0, column = 0 } = table?.positionOf(index) ?? {}
          const rest = lines
            .slice(line - 1)
            .join('\n')
            .slice(column - 1)
          const own = JSON.stringify(item, null, space).split('\n')[0] ?? ''
          expect(rest.startsWith(own)).toBe(true)
        }
      },
    ),
    { numRuns: runs(50) },
  )
})

test('a list named by another file stays inside its folder', async () => {
  const { cwd } = await list('phone\n+12025550101\n')
  const rules = { includingFile: join(cwd, 'batch.yaml'), folder: cwd, allowOutsideFiles: false }
  const read = (file: string) => readTable(file, { cwd, includedBy: rules })
  await symlink('/etc/hostname', join(cwd, 'link.csv'))
  expect((await read('contacts.csv')).diagnostics).toEqual([])
  for (const file of ['../other.csv', '/etc/hostname', 'link.csv'])
    expect((await read(file)).diagnostics).toMatchObject([{ code: 'outside-file' }])
})
