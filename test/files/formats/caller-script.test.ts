import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callerTurns, parseCallerLine } from '../../../src/files/formats/caller-script.ts'

test.each([
  ['Hello there', { type: 'say', text: 'Hello there' }],
  ['  Hello  ', { type: 'say', text: 'Hello' }],
  ['//slash', { type: 'say', text: '/slash' }],
  ['/say-nothing 10', { type: 'silence', milliseconds: 10_000 }],
  ['/say-nothing 0.5', { type: 'silence', milliseconds: 500 }],
  ['/interrupt Wait, please', { type: 'interrupt', text: 'Wait, please' }],
  ['/keys 12#*', { type: 'keys', keys: '12#*' }],
  ['/hangup', { type: 'hang-up' }],
])('%j', (line, turn) => {
  expect(parseCallerLine(line)).toEqual({ turn })
})

test.each([
  ['/hang-up', 'did you mean /hangup'],
  ['/toString', '/say-nothing'],
  ['/say-nothing', 'up to 7200'],
  ['/say-nothing 0', 'up to 7200'],
  ['/say-nothing 7201', 'up to 7200'],
  ['/say-nothing 1e3', 'up to 7200'],
  ['/interrupt', '/interrupt Wait'],
  ['/keys abc', '0-9'],
  ['/keys', '0-9'],
  ['/hangup now', 'remove'],
])('rejects %j with a hint', (line, hint) => {
  expect(parseCallerLine(line)).toMatchObject({
    problem: expect.any(String),
    hint: expect.stringContaining(hint),
  })
})

test('any text can be spoken; a slash at its start is doubled', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      fc.pre(text.trim() !== '')
      const said = text.trim()
      const line = said.startsWith('/') ? `/${said}` : said
      expect(parseCallerLine(line)).toEqual({ turn: { type: 'say', text: said } })
    }),
  )
})

test('only a text or a list of texts is a script; an unknown direction is spoken and reported', () => {
  expect(callerTurns(undefined)).toEqual({ turns: undefined, problems: [] })
  expect(callerTurns({ caller: 'Just this' })).toEqual({
    turns: [{ type: 'say', text: 'Just this' }],
    problems: [],
  })
  expect(callerTurns({ caller: { id: 5 } })).toEqual({ turns: undefined, problems: [] })
  expect(callerTurns({ caller: ['Hi', ' ', '/nonsense'] })).toEqual({
    turns: [
      { type: 'say', text: 'Hi' },
      { type: 'say', text: '/nonsense' },
    ],
    problems: [expect.stringContaining('/nonsense')],
  })
})
