import { expect, test } from 'vitest'
import { compareResults } from '../../src/scenario/index.ts'
import { madeResult, madeTurn } from './made-results.ts'

const welcome = madeTurn(undefined, 'Hello there')
const booked = { id: '1', name: 'book', content: '{}', from: 0, until: 1 }

test('what is the same on both versions is no change', () => {
  const result = () => madeResult([welcome, madeTurn('When?', 'Nine to six')])
  expect(compareResults([result()], [result()])).toEqual([
    expect.objectContaining({ isChanged: false, turns: [] }),
  ])
})

test('verdict, words, latency and calls are compared, and the turns that differ are told', () => {
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

test('other arguments of the same tool are a change', () => {
  const calling = (day: string) =>
    madeResult([welcome, madeTurn('Book', 'Done', { tools: [{ ...booked, arguments: { day } }] })])
  expect(compareResults([calling('Friday')], [calling('Monday')])[0]).toMatchObject({
    isChanged: true,
    turns: [{ turn: 1 }],
  })
})

test('a call that ended earlier differs in the turns that it did not reach', () => {
  const before = madeResult([welcome, madeTurn('When?', 'Nine'), madeTurn('Bye', 'Goodbye')])
  const after = madeResult([welcome])
  expect(compareResults([before], [after])[0]?.turns).toMatchObject([
    { turn: 1, caller: 'When?', after: { said: '' } },
    { turn: 2, caller: 'Bye' },
  ])
})

test('a test that ran on one version alone, or is skipped, is not compared', () => {
  const result = madeResult([welcome])
  const other = madeResult([welcome], { test: { id: 'other' } })
  const skipped = madeResult([], { test: { id: 'skipped' }, status: 'skipped', attempts: [] })
  expect(compareResults([result, skipped], [other, skipped])).toEqual([])
})
