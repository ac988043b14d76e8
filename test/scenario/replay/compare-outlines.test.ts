import { expect, test } from 'vitest'
import type { CallOutline } from '../../../src/scenario/replay/call-outline.ts'
import {
  compareOutlines,
  compareWithRecorded,
  isDrift,
} from '../../../src/scenario/replay/compare-outlines.ts'
import { outline, turn } from './outlines.ts'

const welcome = turn(undefined, 'Hello')
const book = { name: 'book', arguments: { day: 1 } }
const cancel = { name: 'cancel', arguments: {} }
const asks = (said: string, entries: readonly string[] = []) =>
  outline([welcome, turn('Open?', said, { entries })])
const uses = (...tools: { name: string; arguments: unknown }[]) =>
  outline([welcome, turn('Book', tools.length === 0 ? 'No' : 'Yes', { tools })])

test.each<[string, CallOutline, CallOutline, object[]]>([
  ['nothing', asks('Nine', ['Open?']), asks('Nine', ['Open?']), []],
  ['a tool that is no longer called', uses(book), uses(), [{ code: 'tool-dropped', tool: 'book', turn: 1 }]],
  ['a tool that is called once less', uses(book, book), uses(book), [{ code: 'tool-dropped', tool: 'book' }]],
  ['a tool that is called now', uses(), uses(book), [{ code: 'tool-added', tool: 'book' }]],
  [
    'another tool',
    uses(book),
    uses(cancel),
    [
      { code: 'tool-dropped', tool: 'book' },
      { code: 'tool-added', tool: 'cancel' },
    ],
  ],
  [
    'other arguments',
    uses(book),
    uses({ ...book, arguments: { day: 2 } }),
    [{ code: 'tool-arguments', tool: 'book' }],
  ],
  ['another order of tools', uses(book, cancel), uses(cancel, book), [{ code: 'tool-order' }]],
  [
    'another welcome message',
    asks('Nine'),
    outline([turn(undefined, 'Hi'), turn('Open?', 'Nine')]),
    [{ code: 'welcome', turn: 0 }],
  ],
  [
    'another answer of an entry',
    asks('Nine', ['Open?']),
    asks('Ten', ['Open?']),
    [{ code: 'answer-changed', question: 'Open?', turn: 1 }],
  ],
  ['a lost answer', asks('Nine', ['Open?']), asks('No idea'), [{ code: 'answer-lost', question: 'Open?' }]],
  ['a new answer', asks('No idea'), asks('Nine', ['Open?']), [{ code: 'answer-gained', question: 'Open?' }]],
  [
    'another entry',
    asks('Nine', ['Open?']),
    asks('Never', ['Sunday?']),
    [{ code: 'entry', before: 'Open?', after: 'Sunday?' }],
  ],
  ['another reply', asks('Yes'), asks('No'), [{ code: 'reply', before: 'Yes', after: 'No' }]],
  [
    'an earlier end, whose last words are not counted',
    outline([welcome, turn('A', 'a'), turn('B', 'b')]),
    outline([welcome, turn('A', 'Goodbye')], { endedBy: 'assistant' }),
    [{ category: 'ending', code: 'ends-earlier', turn: 1 }],
  ],
  [
    'a later end',
    outline([welcome]),
    outline([welcome, turn('A', 'a')]),
    [{ category: 'ending', code: 'ends-later', turn: 0 }],
  ],
  [
    'another side that ends it',
    asks('a'),
    { ...asks('a'), endedBy: 'system' },
    [{ code: 'ended-by', before: 'user', after: 'system' }],
  ],
  [
    'another number that it is forwarded to',
    outline([welcome], { forwardedTo: '+12025550101' }),
    outline([welcome], { forwardedTo: '+12025550102' }),
    [{ code: 'forwarded-to' }],
  ],
  [
    'another analysis, but not another summary',
    outline([welcome], {
      analysis: { summary: 'a', successEvaluation: '9', structuredData: { a: 1, b: 2 } },
    }),
    outline([welcome], {
      analysis: { summary: 'b', successEvaluation: '7', structuredData: { a: 1, c: 3 } },
    }),
    [
      { code: 'success', turn: undefined },
      { code: 'data', fields: ['b', 'c'] },
    ],
  ],
])('finds %s', (_, before, after, expected) => {
  expect(compareOutlines(before, after)).toMatchObject(expected)
})

test('values of variables do not tell replies apart', () => {
  const [ada, bob] = ['Ada', 'Bob'].map(name =>
    compareOutlines(asks(`Yes, ${name}`), asks(`No, ${name}`), { name, empty: '' }),
  )
  expect(ada).toEqual(bob)
  expect(ada).toMatchObject([{ before: 'Yes, {{name}}', after: 'No, {{name}}' }])
})

test('a recording without tools or end says nothing about them, and a message that was cut off is as it was heard', () => {
  const replay = outline([
    welcome,
    turn('Book', 'Yes, of course', { heard: ['Yes, of'], tools: [book] }),
    turn('/interrupt Wait', 'Yes?'),
  ])
  const recorded = outline([welcome, turn('Book', 'Yes, of'), turn('/interrupt Wait', 'Yes?')], {
    endedBy: undefined,
  })
  expect(compareWithRecorded(recorded, replay)).toEqual([])
  const other = {
    ...recorded,
    turns: recorded.turns.map((each, index) => (index === 1 ? each : { ...each, tools: [cancel] })),
  }
  const drift = compareWithRecorded(other, replay)
  expect(drift.map(({ code, turn }) => [code, turn])).toEqual([
    ['tool-dropped', 0],
    ['tool-added', 1],
    ['tool-dropped', 2],
  ])
  expect(isDrift({ category: 'tool-calls', code: 'tool-order', turn: 1 }, drift)).toBe(true)
  expect(isDrift({ category: 'replies', code: 'welcome', turn: 0 }, drift)).toBe(false)
})
