import { expect, test } from 'vitest'
import { createFactsCollector } from '../../../src/calls/report/index.ts'
import { createConversationTracker } from '../../../src/events/conversation/index.ts'
import { readEvent } from '../../helpers/events.ts'

function collect(maxEnded: number) {
  const counter = createConversationTracker()
  const collector = createFactsCollector({ maxEnded })
  const take = (id: string, fields: object, analysis = {}) => {
    takeBody({ message: { type: 'status-update', call: { id, ...fields }, analysis } })
  }
  const takeBody = (body: unknown) =>
    collector.add(counter.apply(readEvent(body)), '2026-03-01T10:00:00.000Z')
  return { collector, take, takeBody, end: (id: string) => take(id, { status: 'finished' }) }
}

test('facts of a call are known as far as its events have told', () => {
  const { collector, take, end } = collect(10)
  expect(collector.factsOf('CC-1')).toBeUndefined()
  take('CC-1', { status: 'ongoing', assistantNumber: '+12025550100' })
  expect(collector.factsOf('CC-1')).toMatchObject({ outcome: null, from: '+12025550100', messages: 0 })
  end('CC-1')
  expect(collector.factsOf('CC-1')).toMatchObject({ outcome: 'answered' })
})

test('an event for a call that was folded makes it stale, and changes nothing', () => {
  const { collector, take, end } = collect(1)
  end('CC-1')
  take('CC-1', { status: 'finished', callEndTriggerBy: 'user' })
  end('CC-2')
  take('CC-1', { status: 'finished', callEndTriggerBy: 'assistant' })
  expect(collector.factsOf('CC-1')).toMatchObject({ endedBy: 'user' })
  expect([...collector.stale]).toEqual(['CC-1'])
})

test('a forgotten call begins again', () => {
  const { collector, take } = collect(1)
  take('CC-1', { status: 'ongoing', assistantNumber: '+12025550100' })
  collector.forget('CC-1')
  take('CC-1', { status: 'ongoing' })
  expect(collector.factsOf('CC-1')).toMatchObject({ from: null })
  expect([...collector.all().keys()]).toEqual(['CC-1'])
})

test('a number of the structured data that is not finite is a word', () => {
  const { collector, takeBody } = collect(1)
  takeBody(
    '{"message":{"type":"status-update","call":{"id":"CC-1"},"analysis":{"structuredData":{"price":1e400,"count":3}}}}',
  )
  expect(collector.factsOf('CC-1')?.data).toEqual({ price: ['Infinity'], count: [3] })
})
