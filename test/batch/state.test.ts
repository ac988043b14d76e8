import { expect, test } from 'vitest'
import { batchStepSchema, createBatchState } from '../../src/batch/state.ts'
import { hiddenClassesOf } from '../helpers/hidden-class.ts'

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
