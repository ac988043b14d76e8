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
])('a list as spreadsheets write it has every number, or an error: %j', async (text, codes) => {
  const cwd = await temporaryFolder({ 'none.csv': text })
  const { numbers, problems } = collectNumbers([await readList('none.csv', { cwd })], read)
  expect([...numbers.keys()]).toEqual(['+12025550110'])
  expect(problems.map(({ code, severity }) => [code, severity])).toEqual(codes.map(code => [code, 'error']))
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
