import { expect, test } from 'vitest'
import { findLostValue } from '../../../src/files/tables/index.ts'

test.each([
  ...['#N/A', '#REF!', '#VALUE!', '#NAME?', '#DIV/0!', '#NULL!', '#NUM!', '#SPILL!', '#n/a', ' #N/A '],
  ...['#NV', '#BEZUG!', '#WERT!', '#ÜBERLAUF!', '#¡DIV/0!', '#VALEUR!', '#Н/Д', 'Err:502', '#####'],
  ...['=SUM(A1:A3)', '=B2&" "&C2', '=$B$2', '=SVERWEIS(A1;B:C;2)', '=ВПР(A1)'],
])('%s is a spreadsheet error', cell => {
  expect(findLostValue(cell)?.code).toBe('spreadsheet-error')
})

test.each([
  '',
  '#',
  '#1',
  '#12',
  '# N/A',
  '#NVIDIA',
  '#SALE!',
  'N/A',
  'error',
  '#N/A and more',
  '=1+1',
  '= yes',
  '=)',
])('%j is a text', cell => {
  expect(findLostValue(cell)).toBeUndefined()
})

test.each([
  ['1.0E+05', true],
  ['1,0e+05', true],
  ['1E+05', true],
  ['1.20255501E10', true],
  ...['12E5', '1E-5', 'E+5', '1.0', '1.0E', '1+05'].map((cell): [string, boolean] => [cell, false]),
])('%s is a shortened number: %s', (cell, isShortened) => {
  expect(findLostValue(cell)?.code === 'shortened-number').toBe(isShortened)
})
