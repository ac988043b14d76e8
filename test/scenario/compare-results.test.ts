import { expect, test } from 'vitest'
import { compareResults } from '../../src/scenario/index.ts'
import { madeResult, madeTurn } from './made-results.ts'

const welcome = madeTurn(undefined, 'Hello there')
const booked = { id: '1', name: 'book', content: '{}', from: 0, until: 1 }

test('reports no change for equal results', () => {
  const result = () => madeResult([welcome, madeTurn('When?', 'Nine to six')])
  expect(compareResults([result()], [result()])).toEqual([
    expect.objectContaining({ isChanged: false, turns: [] }),
  ])
})

test('compares verdict, words, latency and calls, and lists turns that differ', () => {
  const before = madeResult([
    welcome,
    madeTurn('When?', 'Nine to six'),
    madeTurn('Book me in', 'Done', { tools: [{ ...booked, arguments: { day: 'Friday' } }] }),
  ])
  const after = madeResult(
    [welcome, madeTurn('When?', 'We are open from ten', { latencyMs: 3000 }), madeTurn('Book me in', 'Done')],
    { status: 'failed' },
  )
  const [change] = compareResults([before], [after])
  expect(change).toMatchObject({
    isChanged: true,
    before: { status: 'passed', words: 6, latencyMs: 1000, calls: ['book'] },
    after: { status: 'failed', words: 8, latencyMs: 2000, calls: [] },
    turns: [
      { turn: 1, caller: 'When?', before: { said: 'Nine to six' }, after: { said: 'We are open from ten' } },
      { turn: 2, before: { calls: ['book {"day":"Friday"}'] }, after: { calls: [] } },
    ],
  })
})

test('reports different arguments of a tool', () => {
  const calling = (day: string) =>
    madeResult([welcome, madeTurn('Book', 'Done', { tools: [{ ...booked, arguments: { day } }] })])
  expect(compareResults([calling('Friday')], [calling('Monday')])[0]).toMatchObject({
    isChanged: true,
    turns: [{ turn: 1 }],
  })
})

test('reports the turns that a shorter call did not reach', () => {
  const before = madeResult([welcome, madeTurn('When?', 'Nine'), madeTurn('Bye', 'Goodbye')])
  const after = madeResult([welcome])
  expect(compareResults([before], [after])[0]?.turns).toMatchObject([
    { turn: 1, caller: 'When?', after: { said: '' } },
    { turn: 2, caller: 'Bye' },
  ])
})

test('ignores tests that are skipped or ran on only one version', () => {
  const result = madeResult([welcome])
  const other = madeResult([welcome], { test: { id: 'other' } })
  const skipped = madeResult([], { test: { id: 'skipped' }, status: 'skipped', attempts: [] })
  expect(compareResults([result, skipped], [other, skipped])).toEqual([])
})
