import { expect, test } from 'vitest'
import { collectNumbers } from '../../../src/calls/batch/do-not-call.ts'
import { readList } from '../../../src/calls/batch/read-list.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const read = (text: string) =>
  text.startsWith('+') ? { number: text } : { problem: 'invalid-number' as const, readings: [] }

test.each([
  ['number;words\n="+12025550110";"he said ""no"""\n;;\n', []],
  ['sep=;\nnumber;;\n+12025550110;;\n', []],
  ['number,words\n"+12025550111,no\n+12025550110,x\n', ['broken-csv']],
  ['number,words,\n+12025550110,x,+12025550111\n', ['no-heading-do-not-call']],
  ['Name;Telefon;Mobil\nAda;;+12025550110\nBo;+12025550110;\n', []],
  ['Do not call\n+12025550110\n', []],
  ['Blocked;\n+12025550110;\n', []],
  ['name,number;\nAda,+12025550110;\n', []],
  ['blocked,phone\n+12025550111,\n,+12025550110\n', ['no-number-do-not-call']],
  [
    'number\n#N/A\n=B2\n1.2E+10\n+12025550110\n',
    ['spreadsheet-error', 'spreadsheet-error', 'shortened-number'],
  ],
  ['number,name\n+12025550110,Ada\nnumber,name\n', ['repeated-header']],
  ['+12025550110,Ada\n+12025550110,Ada\n', []],
  ['phone;note\n;call 202 555-0111 never\n+12025550110;\n', ['no-number-do-not-call']],
])('a list as spreadsheets write it has every number, or an error: %j', async (text, codes) => {
  const cwd = await temporaryFolder({ 'none.csv': text })
  const { numbers, problems } = collectNumbers([await readList('none.csv', { cwd })], read)
  expect([...numbers.keys()]).toEqual(['+12025550110'])
  expect(problems.map(({ code, severity }) => [code, severity])).toEqual(codes.map(code => [code, 'error']))
})

test.each([
  'tel:+12025550111',
  'Mobile: +12025550111',
  'phone 2025550111',
  'Ada;Telefon +12025550111',
  'number,+12025550111',
])('a first line with a number is not a header: %s', async first => {
  const cwd = await temporaryFolder({ 'none.csv': `${first}\n+12025550112\n` })
  const { problems } = collectNumbers([await readList('none.csv', { cwd })], read)
  expect(problems.map(({ code }) => code)).toEqual(['no-number-column'])
})

test('a row without any number is a warning', async () => {
  const cwd = await temporaryFolder({ 'none.csv': 'name,number\nAda,\nBo,+12025550110\n' })
  const { problems, warnings } = collectNumbers([await readList('none.csv', { cwd })], read)
  expect(problems).toEqual([])
  expect(warnings.map(({ create }) => create())).toMatchObject([
    { code: 'no-number-do-not-call', position: { line: 2 } },
  ])
})

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
  const collected = collectNumbers([{ table, diagnostics: [] }], read)
  expect(collected.numbers.size).toBe(1000)
  expect(collected.problems).toMatchObject([{ code: 'unreadable-do-not-call', position: { line: 1 } }])
  expect(computed).toBe(1)
})
