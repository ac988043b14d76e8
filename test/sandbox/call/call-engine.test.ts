import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  advance,
  type CallEffect,
  type CallEvent,
  type CallPlan,
  type CallState,
  newCall,
  saysPhrase,
} from '../../../src/sandbox/call/call-engine.ts'

const line = fc.oneof(fc.constantFrom('hello', 'bye', 'Good-bye!', ' '), fc.string({ maxLength: 12 }))

const plans: fc.Arbitrary<CallPlan> = fc.record({
  callId: fc.constant('CC-1'),
  welcomeMessage: fc.constantFrom('', 'Welcome.'),
  callerSpeaksFirst: fc.boolean(),
  callerLines: fc.array(line, { maxLength: 6 }),
  endCall: fc.option(
    fc.record({
      phrases: fc.constantFrom([], ['bye', 'good bye']),
      message: fc.constantFrom('', 'So long.'),
    }),
    { nil: undefined },
  ),
  maxDuration: fc.option(fc.integer({ min: 1, max: 5000 }), { nil: undefined }),
})

const interventions: fc.Arbitrary<CallEvent> = fc.oneof(
  fc.record({ type: fc.constant('say' as const), role: fc.constantFrom('user', 'assistant'), text: line }),
  fc.record({ type: fc.constant('hang-up' as const), by: fc.constantFrom('control', 'system') }),
  fc.record({ type: fc.constantFrom('placed', 'picked-up', 'spoken', 'limit') }),
  fc.record({
    type: fc.constant('reply' as const),
    texts: fc.array(line, { maxLength: 2 }),
    answered: fc.boolean(),
  }),
)

interface Step {
  readonly state: CallState
  readonly effects: readonly CallEffect[]
}

/** Carries out effects by the clock of the call, with events from outside at any moment, fitting or not. */
function play(plan: CallPlan, outside: readonly CallEvent[]): Step[] {
  const steps: Step[] = []
  const due: { at: number; event: CallEvent }[] = [{ at: 0, event: { type: 'placed' } }]
  outside.forEach((event, index) => {
    due.push({ at: index * 377, event })
  })
  let state = newCall
  while (due.length > 0) {
    due.sort((one, other) => one.at - other.at)
    const next = due.shift()
    if (next === undefined) break
    const step = advance(plan, state, next.event, next.at)
    steps.push(step)
    state = step.state
    for (const effect of step.effects) {
      if (effect.type === 'after')
        due.push({ at: next.at + effect.milliseconds, event: { type: effect.event } })
      if (effect.type === 'reply')
        due.push({ at: next.at, event: { type: 'reply', texts: [`re: ${effect.text}`], answered: true } })
    }
  }
  return steps
}

const order = ['new', 'queued', 'ongoing', 'finished']

test('every call ends, its status only moves forward, and nothing follows the end', () => {
  fc.assert(
    fc.property(plans, fc.array(interventions, { maxLength: 8 }), (plan, outside) => {
      const steps = play(plan, outside)
      expect(steps.at(-1)?.state.phase).toBe('finished')
      const phases = steps.map(({ state }) => order.indexOf(state.phase))
      expect(phases).toEqual([...phases].sort())
      const told = steps.flatMap(({ effects }) =>
        effects.flatMap(one => (one.type === 'status' ? [one.status] : [])),
      )
      expect(['queued', 'ongoing', 'finished'].filter(status => told.includes(status as 'queued'))).toEqual(
        told,
      )
      expect(told.at(-1)).toBe('finished')
      const over = steps.findIndex(({ state }) => state.phase === 'finished')
      for (const { effects } of steps.slice(over + 1)) expect(effects).toEqual([])
    }),
  )
})

test('the conversation only grows, with stable and distinct ids, and each growth is told once', () => {
  fc.assert(
    fc.property(plans, fc.array(interventions, { maxLength: 8 }), (plan, outside) => {
      let before: CallState['messages'] = []
      for (const { state, effects } of play(plan, outside)) {
        expect(state.messages.slice(0, before.length)).toEqual(before)
        expect(effects.filter(({ type }) => type === 'conversation')).toHaveLength(
          state.messages.length - before.length,
        )
        expect(state.messages.length - before.length).toBeLessThanOrEqual(1)
        before = state.messages
      }
      expect(new Set(before.map(({ messageId }) => messageId)).size).toBe(before.length)
      expect(before.every(({ text }) => text.trim() !== '')).toBe(true)
    }),
  )
})

test('without interventions the caller says the lines in order, and each is answered before the next', () => {
  fc.assert(
    fc.property(plans, plan => {
      const [last] = play({ ...plan, endCall: undefined, maxDuration: undefined }, []).slice(-1)
      const said = plan.callerLines.filter(text => text.trim() !== '')
      const conversation = last?.state.messages.map(({ text }) => text) ?? []
      const welcome = plan.welcomeMessage === '' ? [] : [plan.welcomeMessage]
      const turns = said.flatMap((text, index) =>
        index === 0 && plan.callerSpeaksFirst ? [text, ...welcome, `re: ${text}`] : [text, `re: ${text}`],
      )
      expect(conversation).toEqual(plan.callerSpeaksFirst ? turns : [...welcome, ...turns])
      expect(last?.state.endedBy).toBe('user')
    }),
  )
})

test.each([
  ['Good-bye!', ['goodbye', 'good bye'], true],
  ['OK, GOOD BYE now', ['good bye'], true],
  ['That’s all', ["that's all"], true],
  ['¡Adiós!', ['adiós'], true],
  ['goodbyes are hard', ['goodbye'], false],
  ['anything', ['', '!!'], false],
  ['再见。', ['再见'], true],
])('%j says one of %j: %j', (said, phrases, expected) => {
  expect(saysPhrase(said, phrases)).toBe(expected)
})
