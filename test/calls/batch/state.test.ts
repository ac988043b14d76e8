import { expect, test } from 'vitest'
import { type BatchStep, batchStepSchema, createBatchState } from '../../../src/calls/batch/state.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { hiddenClassesOf } from '../../helpers/hidden-class.ts'
import { openList } from './open-list.ts'

const at = '2026-11-24T09:00:00.000Z'

function stepsOf(people: number) {
  return Array.from({ length: people }, (_, index) => {
    const attempt = `attempt-${index}`
    const ended = { outcome: 'busy', seconds: index, endedBy: null, reason: null, callbackAt: null }
    return [
      { step: 'calling', at, attempt, person: `p${index}`, number: `+1${index}`, from: '+2', kind: 'first' },
      { step: 'placed', at, attempt, call: `CC-${index}` },
      ...(index % 2 === 0 ? [{ step: 'ended', at, attempt, ...ended, analysis: null }] : []),
      ...(index % 3 === 0 ? [{ step: 'failed', at, attempt, outcome: 'unknown', reason: 'reset' }] : []),
    ].map(step => batchStepSchema.parse(step))
  }).flat()
}

test('attempts share a hidden class: one for each would take several times their memory', () => {
  const state = createBatchState(stepsOf(300))
  state.apply({ step: 'requested', at, offset: 1, request: { request: 'retry', outcome: 'busy' } })
  expect(hiddenClassesOf([...state.attempts.values()].flat())).toBe(1)
})

test('a call whose response was lost counts as finished once', () => {
  const state = createBatchState(stepsOf(1).slice(0, 1))
  state.apply({ step: 'failed', at, attempt: 'attempt-0', outcome: 'unknown', reason: 'reset' })
  expect(state.finished).toBe(1)
  state.apply({ step: 'placed', at, attempt: 'attempt-0', call: 'CC-0' })
  expect(state.finished).toBe(0)
  expect(state.attempt('attempt-0')).toMatchObject({ outcome: 'placed', call: 'CC-0' })
})

test('recorded events are read again from the first one of a call in progress, or of the last 1,000 that ended', () => {
  const outcome = { outcome: 'busy', seconds: 1, endedBy: null, reason: null, callbackAt: null } as const
  const call = (index: number): BatchStep => ({
    ...{ step: 'calling', at, attempt: `a${index}`, person: `p${index}`, number: `+1${index}`, from: '+2' },
    ...{ kind: 'first', events: index * 100 },
  })
  const end = (index: number): BatchStep => ({
    step: 'ended',
    at,
    attempt: `a${index}`,
    ...outcome,
    analysis: null,
  })
  const state = createBatchState([])
  const applyAll = (steps: readonly BatchStep[]) => {
    for (const step of steps) state.apply(step)
  }
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
  applyAll(range(0, 10).map(call))
  expect(state.firstEventOffset()).toBe(0)
  // The sixth call is in progress while the others, and many more, end.
  applyAll(
    range(0, 10)
      .filter(index => index !== 5)
      .map(end),
  )
  applyAll(range(10, 3000).flatMap(index => [call(index), end(index)]))
  expect(state.firstEventOffset()).toBe(500)
  // It is among the last that ended, and so are its events.
  applyAll([end(5)])
  expect(state.firstEventOffset()).toBe(500)
  applyAll(range(3000, 4000).flatMap(index => [call(index), end(index)]))
  expect(state.firstEventOffset()).toBe(300_000)
  applyAll([call(4000), { step: 'failed', at, attempt: 'a4000', outcome: 'unknown', reason: 'reset' }])
  applyAll(range(4001, 6000).flatMap(index => [call(index), end(index)]))
  expect(state.firstEventOffset()).toBe(400_000)
  // A run without a recording of its own.
  const { events: _, ...other } = { ...call(6000), events: 0 }
  applyAll([batchStepSchema.parse(other)])
  expect(state.firstEventOffset()).toBe(0)
})

test('steps of several runners count once, in any order', () => {
  const unknown = { seconds: null, endedBy: null, reason: null, callbackAt: null, analysis: null }
  const unclear = { outcome: 'unclear', ...unknown }
  const answered = { ...unclear, outcome: 'answered', seconds: 30 }
  const step = (fields: object) => batchStepSchema.parse({ at, attempt: 'attempt-0', ...fields })
  const placed = step({ step: 'placed', call: 'CC-1' })
  const ended = step({ step: 'ended', ...answered })
  const withoutSending = step({ step: 'failed', outcome: 'not-sent', reason: 'too late' })
  const begin = () => createBatchState(stepsOf(1).slice(0, 1))

  const late = begin()
  for (const each of [ended, placed, ended, step({ step: 'failed', outcome: 'unknown', reason: 'reset' })])
    late.apply(each)
  expect(late.attempt('attempt-0')).toMatchObject({ outcome: 'answered', call: 'CC-1' })
  expect({ finished: late.finished, seconds: late.seconds }).toEqual({ finished: 1, seconds: 30 })

  // Others waited for the events of a call whose runner was stopped before its request.
  const stopped = begin()
  for (const each of [step({ step: 'ended', ...unclear }), withoutSending, withoutSending, ended])
    stopped.apply(each)
  expect(stopped.attempt('attempt-0')).toMatchObject({ outcome: 'not-sent' })
  expect({ finished: stopped.finished, calls: stopped.senders.get('+2') }).toEqual({ finished: 0, calls: 0 })
})

test('a line of the journal that is not a step of a batch is named by its place', async () => {
  const begun = { step: 'begun', at: '2026-11-24T09:00:00.000Z', version: 1, service: 'http://127.0.0.1' }
  const first = `${JSON.stringify({ ...begun, file: 'list.csv' })}\n`
  const folder = await temporaryFolder({
    '.callyard/batches/list/journal.ndjson': `${first}{"step":"rung"}\n`,
  })
  await expect(openList(folder, [['to']], {})).rejects.toThrow(
    `journal.ndjson, cannot be read: the line at byte ${first.length} is not a step of a batch`,
  )
})
