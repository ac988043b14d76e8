import { expect, test } from 'vitest'
import { readAnalysis } from '../../src/report/call-facts.ts'

test('a number of the structured data that is not finite is a word', () => {
  const structuredData = JSON.parse('{"price": 1e400, "count": 3}')
  expect(readAnalysis({ structuredData }).data).toEqual({ price: ['Infinity'], count: [3] })
})
