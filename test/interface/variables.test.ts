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

test('leaves what is not a name to the service, and variables that the service sets', () => {
  const { fill, unset, forService } = createVariables({ dear: 'Dr.', 'order #': '7' }, ['now'])
  const text =
    '{{#if vip}}{{dear}}{{else}}{{/if}}{{name | upcase}} {{now}} {{order #}} {{user.name}} {{naïve-1}}'
  expect(fill(text)).toBe(text.replace('{{dear}}', 'Dr.').replace('{{order #}}', '7'))
  expect([...unset]).toEqual(['user.name', 'naïve-1'])
  expect([...forService]).toEqual(['#if vip', 'else', '/if', 'name | upcase', 'now'])
})

test('fills a variable of any name without line breaks and braces', () => {
  const word = fc.string({ minLength: 1, unit: fc.constantFrom('a', '"', '.', '-', 'é') })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), words => {
      const name = words.join(' ')
      expect(createVariables({ [name]: 'Ada' }).fill(`Hello {{${name}}}`)).toBe('Hello Ada')
    }),
  )
})

test('takes no time for a variable that never ends', () => {
  const hostile = '{{a '.padEnd(200_000, ' a')
  expect(createVariables({}).fill(hostile)).toBe(hostile)
})
