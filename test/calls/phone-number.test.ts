import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { phoneNumberParser } from '../../src/calls/index.ts'

const read = await phoneNumberParser()

test('however its digits are set apart, a number is the same one', () => {
  const separators = fc.array(fc.constantFrom('', ' ', '-', '.', ' (', ') ', '\u00a0'), {
    minLength: 10,
    maxLength: 10,
  })
  fc.assert(
    fc.property(separators, fc.integer({ min: 0, max: 99 }), (between, last) => {
      const digits = `120255501${String(last).padStart(2, '0')}`
      const written = [...digits].map((digit, index) => `${digit}${between[index] ?? ''}`).join('')
      expect(read(`+${written}`)).toEqual({ value: `+${digits}` })
    }),
  )
})

test('nothing is picked out of a text', () => {
  const letters = fc.stringMatching(/^[A-Za-z]{1,12}$/)
  fc.assert(
    fc.property(letters, word => {
      expect(read(`${word} +12025550100`)).toHaveProperty('problem')
      expect(read(`+12025550100 ${word}`)).toHaveProperty('problem')
    }),
  )
})
