import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVariables } from '../../src/interface/variables.ts'

test('fills variables, also those with spaces in their names', () => {
  const { fill, unset } = createVariables({ name: 'Ada', 'first name': 'Bo' })
  expect(fill('{{name}}, {{ name }}, {{first name}}, {{ first name }}')).toBe('Ada, Ada, Bo, Bo')
  expect([...unset]).toEqual([])
  expect(fill('{{say it}} {{ day }} {{}} {{ }} {{{name}}}')).toBe('{{say it}} {{ day }} {{}} {{ }} {Ada}')
  expect([...unset]).toEqual(['say it', 'day'])
})

test('a variable does not reach from one text of a document into the next', () => {
  const { fill, unset } = createVariables({})
  fill(JSON.stringify({ a: 'Say {{ to open', b: 'and }} to close {{name}}', c: ['{{x', 'y}}'] }))
  expect([...unset]).toEqual(['name'])
})

test('leaves texts without values unchanged', () => {
  const parts = fc.constantFrom('{', '}', ' ', '"', 'a', '{{', '}}', '\n')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), list => {
      const text = list.join('')
      expect(createVariables({}).fill(text)).toBe(text)
    }),
  )
  const hostile = '{{a '.padEnd(200_000, ' a')
  expect(createVariables({}).fill(hostile)).toBe(hostile)
})
