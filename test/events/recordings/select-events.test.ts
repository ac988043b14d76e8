import { expect, test } from 'vitest'
import { createSelector, type Selection } from '../../../src/events/recordings/select-events.ts'
import { conversationUpdate, message, statusUpdate } from '../../helpers/events.ts'

const recorded = [
  [0, statusUpdate('c1', 'queued')],
  [10, statusUpdate('c2', 'queued')],
  [20, conversationUpdate('c1', message('m1', 'hello'))],
  [30, { message: { type: 'speech-update' } }],
  [40, 'not an event'],
] as const

test.each<[string, Selection, number[]]>([
  ['nothing', {}, [1, 2, 3, 4, 5]],
  ['a call', { calls: ['c1'] }, [1, 3]],
  ['a type', { types: ['status-update'] }, [1, 2]],
  ['several calls', { calls: ['c2', 'c1', 'c9'] }, [1, 2, 3]],
  ['events without a call', { calls: ['-'] }, [4]],
  ['several types', { types: ['speech-update', 'conversation-update'] }, [3, 4]],
  ['a call and a type', { calls: ['c1'], types: ['status-update'] }, [1]],
  ['a time from the start, which is included', { from: { after: 20_000 } }, [3, 4, 5]],
  ['an end, which is included', { until: { after: 20_000 } }, [1, 2, 3]],
  ['a time', { from: { at: Date.UTC(2026, 2, 1, 10, 0, 15) }, until: { after: 30_000 } }, [3, 4]],
])('%s selects the events that match', (_, selection, numbers) => {
  expect(select(selection)).toEqual(numbers)
})

const together = 'no event matches the calls, types and times together'

test.each<[Selection, unknown, string | RegExp]>([
  [{ types: ['status-updat'] }, { filter: 'type', near: 'status-update' }, 'did you mean status-update?'],
  [
    { types: ['tool'] },
    { filter: 'type', near: undefined, seen: ['status-update', 'conversation-update', 'speech-update'] },
    'types in the recording: status-update, conversation-update, speech-update',
  ],
  [{ calls: ['c3'] }, { filter: 'call', near: expect.stringMatching(/^c[12]$/) }, /^did you mean c[12]\?$/],
  [{ calls: ['c1'], types: ['speech-update'] }, undefined, together],
  [{ from: { after: 50_000 } }, undefined, together],
])('%o matches nothing, and the error lists the calls', (selection, absent, hint) => {
  const details = expect.objectContaining({ absent: absent && expect.objectContaining(absent) })
  expect(() => select(selection)).toThrow(
    expect.objectContaining({
      ...{ kind: 'usage', code: 'nothing-selected', details },
      message: expect.stringMatching(/^none of the \d+ recorded events match$/),
      hint: expect.stringMatching(hint),
    }),
  )
})

test('a recording without events is an error only if something was requested', () => {
  expect(() => createSelector({ calls: undefined }).assertMatched()).not.toThrow()
  expect(() => createSelector({ calls: ['c1'] }).assertMatched()).toThrow(
    expect.objectContaining({ code: 'nothing-selected', details: expect.objectContaining({ events: 0 }) }),
  )
})

function select(selection: Selection): number[] {
  const selector = createSelector(selection)
  const numbers = recorded.flatMap(([seconds, body]) => {
    const at = new Date(Date.UTC(2026, 2, 1, 10) + seconds * 1000).toISOString()
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return selector.add({ kind: 'recorded', version: 1, at, headers: {}, body: text })?.number ?? []
  })
  selector.assertMatched()
  return numbers
}
