import { expect, test } from 'vitest'
import { mapColumns } from '../../src/batch/columns.ts'

const map = (columns: readonly string[], given = {}, used: readonly string[] = []) => {
  const { map: found, problems } = mapColumns(columns, given, used)
  return { ...found, variables: Object.fromEntries(found.variables), problems }
}

test.each([
  ...['to', 'number', 'phone', 'phone_number', 'Phone Number', 'contact_number', 'to_number', 'mobile'],
  ...['tel', 'Telephone', 'PHONE-NUMBER', 'cell', 'MSISDN', 'toNumber'],
])('a column %s is the number', column => {
  expect(map(['x', column])).toMatchObject({ to: [1], problems: [], variables: { x: 0 } })
})

test('recognizes the other uses, and all other columns are variables', () => {
  expect(map(['Customer ID', 'full_name', 'phone', 'TZ', 'consent basis', 'order'])).toEqual({
    ...{ id: 0, name: 1, to: [2], timezone: 3, consent: 4, problems: [] },
    variables: { full_name: 1, order: 5, name: 1 },
  })
})

test('columns by name take precedence, in the order in which they are called', () => {
  expect(map(['home', 'mobile', 'who'], { to: ['mobile', 'Home'], id: 'who' })).toMatchObject({
    ...{ to: [1, 0], id: 2, problems: [], variables: {} },
  })
})

test('a column is also the variable of another spelling that the assistant uses', () => {
  expect(map(['phone', 'First Name'], {}, ['first_name', 'day']).variables).toEqual({
    'First Name': 1,
    first_name: 1,
  })
})

test('missing, ambiguous and unknown columns are problems', () => {
  expect(map(['a', 'b']).problems).toEqual([{ code: 'no-number-column' }])
  expect(map(['mobile', 'tel']).problems).toEqual([
    { code: 'several-number-columns', columns: ['mobile', 'tel'] },
  ])
  expect(map(['mobile'], { id: 'nr' }).problems).toEqual([
    { code: 'no-such-column', use: 'id', column: 'nr' },
  ])
})
