import { describe, expect, test } from 'vitest'
import { kinds } from '../../src/files/formats/kinds.ts'
import { check } from '../../src/interface/check.ts'
import { toWire } from '../../src/interface/vocabulary.ts'
import { kindNames } from '../../src/interface/words.ts'

describe.each(kindNames)('%s', kind => {
  test.each(['toString', 'constructor', 'valueOf', 'hasOwnProperty'])('%s is a key like any other', name => {
    const schema = kinds[kind].schema({})
    const value = { [name]: 'x' }
    expect(check(schema, value).filter(({ code }) => code === 'unknown-key')).toMatchObject([
      { path: [name], message: `${name} is not a known field` },
    ])
    expect(toWire(schema, value)).toEqual(value)
  })
})

test('an object with its own toString has the wrong type', () => {
  const value = { faq: [{ question: { toString: false }, answer: 'x' }] }
  expect(check(kinds['knowledge-base'].schema(), value)).toMatchObject([
    { code: 'wrong-type', path: ['faq', 0, 'question'], hint: undefined },
  ])
})

test('an object with its own toString is not an allowed word', () => {
  const value = { name: 'x', welcomeMessageMode: { toString: false } }
  expect(check(kinds.assistant.schema({}), value)).toMatchObject([
    { code: 'not-allowed', path: ['welcomeMessageMode'] },
  ])
})
