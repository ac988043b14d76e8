import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallerTurn } from '../../../src/files/formats/caller-script.ts'
import { phoneOutcomes } from '../../../src/interface/phone-number.ts'
import type { CallEvent, CallPlan, CallState } from '../../../src/sandbox/engine/call-state.ts'
import { answeredPhone, withOutcome } from '../../../src/sandbox/engine/phone-outcome.ts'
import { runs } from '../../helpers/every-case.ts'
import { ended, plainPlan, play, say } from './call-plans.ts'

const line = fc.oneof(
  fc.constantFrom('hello', 'bye', 'Good-bye!', 'I need room 12', ' '),
  fc.string({ maxLength: 40 }),
)

const turns: fc.Arbitrary<CallerTurn> = fc.oneof(
  fc.record({ type: fc.constantFrom('say' as const, 'interrupt' as const), text: line }),
  fc.record({ type: fc.constant('silence' as const), milliseconds: fc.integer({ min: 1, max: 200_000 }) }),
  fc.record({ type: fc.constant('keys' as const), keys: fc.constantFrom('1', '12#') }),
  fc.constant({ type: 'hang-up' as const }),
)

const time = fc.integer({ min: 0, max: 3000 })
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const plans: fc.Arbitrary<CallPlan> = fc.record({
  callId: fc.constant('CC-1'),
  phone: fc.constant(answeredPhone),
  welcome: fc.record({
    message: fc.constantFrom('', 'Welcome to the workshop of the town.'),
    callerFirst: fc.boolean(),
    interruptible: fc.boolean(),
  }),
  script: optional(fc.array(turns, { maxLength: 6 })),
  turnTaking: fc.record({
    typed: fc.boolean(),
    wait: fc.record({ always: time, afterPunctuation: time, afterNumber: time, afterOther: time }),
    bargeIn: fc.record({ words: fc.integer({ min: 0, max: 4 }), voice: time }),
    acknowledgement: optional(
      fc.record({
        count: fc.integer({ min: 0, max: 3 }),
        words: fc.integer({ min: 0, max: 9 }),
        phrases: fc.constantFrom(['Sure.'], ['Yes?', 'Go on.']),
      }),
    ),
  }),
  endCall: optional(
    fc.record({
      phrases: fc.constantFrom([], ['bye', 'good bye']),
      message: fc.constantFrom('', 'So long.'),
    }),
  ),
  idle: fc.record({
    after: fc.integer({ min: 5000, max: 60_000 }),
    most: optional(fc.integer({ min: 1, max: 5 })),
    message: fc.constant('Are you still there?'),
  }),
  maxDuration: fc.integer({ min: 1, max: 600_000 }),
  keysHeard: fc.boolean(),
})

const interventions: fc.Arbitrary<CallEvent> = fc.oneof(
  fc.record({
    type: fc.constant('say' as const),
    role: fc.constantFrom('user' as const, 'assistant' as const),
    text: line,
  }),
  fc.record({ type: fc.constant('interrupt' as const), text: fc.constantFrom('Wait!', 'One more thing…') }),
  fc.record({ type: fc.constant('keys' as const), keys: fc.constant('7') }),
  fc.record({ type: fc.constant('silence' as const), milliseconds: fc.integer({ min: 1, max: 90_000 }) }),
  fc.record({
    type: fc.constant('hang-up' as const),
    by: fc.constantFrom('control' as const, 'system' as const),
  }),
)

/** Timers and replies of another moment, which the runner may deliver late. */
const strays: fc.Arbitrary<CallEvent> = fc.oneof(
  fc.constantFrom<CallEvent>({ type: 'placed' }, { type: 'picked-up' }, { type: 'given-up' }),
  fc.record({
    type: fc.constantFrom('spoken' as const, 'barge-in' as const, 'cut-in' as const),
    id: fc.constant(-1),
  }),
  fc.record({ type: fc.constantFrom('turn' as const, 'idle' as const), moment: fc.constant(-1) }),
  fc.record({ type: fc.constant('silence-over' as const), silence: fc.constant(-1) }),
  fc.record({
    type: fc.constantFrom('drafted' as const, 'made' as const),
    turn: fc.constant(-1),
    text: line,
  }),
  fc.record({
    type: fc.constant('replied' as const),
    turn: fc.constant(-1),
    answered: fc.boolean(),
    ending: fc.constant(undefined),
  }),
)

const outside = fc.array(
  fc.record({ at: fc.integer({ min: 0, max: 40_000 }), event: fc.oneof(interventions, strays) }),
  { maxLength: 10 },
)

const replies = fc.record({
  parts: fc.array(line, { maxLength: 3 }),
  each: time,
  ending: optional(
    fc.oneof(
      fc.record({ kind: fc.constant('end-call' as const), message: fc.constantFrom('', 'Goodbye.') }),
      fc.record({
        kind: fc.constant('forward' as const),
        message: fc.constant('One moment.'),
        target: fc.constant({ name: 'Ada' }),
      }),
    ),
  ),
})

const calls = fc.record({ plan: plans, outside, reply: replies })

/** Generates any behavior of a phone. */
const anyCalls = fc
  .record({ call: calls, outcome: fc.constantFrom(...phoneOutcomes) })
  .map(({ call, outcome }) => ({ ...call, plan: withOutcome(call.plan, outcome) }))

/** Every step of a call at which anything can happen at any time. */
const playCall = ({ plan, outside, reply }: { plan: CallPlan; outside: Play; reply: Reply }) =>
  play(plan, { outside, reply: () => reply })

type Play = NonNullable<Parameters<typeof play>[1]>['outside'] & {}
type Reply = ReturnType<NonNullable<NonNullable<Parameters<typeof play>[1]>['reply']>>

const order = ['new', 'queued', 'ongoing', 'finished']

test('every call ends, its status only moves forward, and nothing follows the end', () => {
  fc.assert(
    fc.property(anyCalls, call => {
      const taken = playCall(call)
      expect(ended(taken).phase).toBe('finished')
      const phases = taken.map(({ state }) => order.indexOf(state.phase))
      expect(phases).toEqual([...phases].sort())
      const told = taken.flatMap(({ effects }) =>
        effects.flatMap(one => (one.type === 'status' ? [one.status] : [])),
      )
      expect(['queued', 'ongoing', 'finished'].filter(status => told.includes(status as 'queued'))).toEqual(
        told,
      )
      expect(told.at(-1)).toBe('finished')
      const over = taken.findIndex(({ state }) => state.phase === 'finished')
      expect(taken[over]?.effects.at(-1)).toEqual({ type: 'status', status: 'finished' })
      for (const { effects } of taken.slice(over + 1)) expect(effects).toEqual([])
    }),
    { numRuns: runs(500) },
  )
})

test('limits the duration of a call', () => {
  fc.assert(
    fc.property(anyCalls, call => {
      const { startedAt, endedAt = 0 } = ended(playCall(call))
      expect(endedAt - (startedAt ?? endedAt)).toBeLessThanOrEqual(call.plan.maxDuration)
    }),
  )
})

test('the conversation only grows, with stable and distinct ids, and each message is reported once', () => {
  fc.assert(
    fc.property(anyCalls, call => {
      let before: readonly unknown[] = []
      for (const { state, effects } of playCall(call)) {
        expect(state.messages.slice(0, before.length)).toEqual(before)
        expect(effects.flatMap(one => (one.type === 'conversation' ? [one.message] : []))).toEqual(
          state.messages.slice(before.length),
        )
        before = state.messages
      }
      const messages = ended(playCall(call)).messages
      expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(messages.length)
      expect(messages.every(({ text }) => text.trim() !== '')).toBe(true)
      const times = messages.map(({ at }) => at)
      expect(times).toEqual([...times].sort((one, other) => one - other))
    }),
    { numRuns: runs(300) },
  )
})

test('no line of the caller is lost: each is heard, in order, unless the call ended before', () => {
  fc.assert(
    fc.property(calls, call => {
      const taken = playCall(call)
      const given = taken.flatMap(({ event, state }, index) =>
        event.type === 'say' &&
        event.role === 'user' &&
        event.text.trim() !== '' &&
        taken[index - 1]?.state.phase === 'ongoing' &&
        state.phase !== 'new'
          ? [event.text.trim()]
          : [],
      )
      const interruptions = taken.flatMap(({ event }, index) =>
        event.type === 'interrupt' && taken[index - 1]?.state.phase === 'ongoing' ? [event.text] : [],
      )
      const scripted = (call.plan.script ?? []).flatMap(turn => ('text' in turn ? [turn.text.trim()] : []))
      const heard = ended(taken).messages.filter(({ role }) => role === 'user')
      const whole = heard.filter(({ interrupted }) => interrupted !== true).map(({ text }) => text)
      // Keys are heard as what they are, and a line may be the same.
      const keys = new Set(['7', '1', '12#'])
      // What was said from outside comes in its own order between the lines of the script.
      expect(
        isSubsequence(
          whole.filter(text => given.includes(text) && !scripted.includes(text) && !keys.has(text)),
          given,
        ),
      ).toBe(true)
      // Only the end of the call cuts the caller short.
      expect(heard.slice(0, -1).every(({ interrupted }) => interrupted !== true)).toBe(true)
      const { endedBy, callerNext } = ended(taken)
      expect(callerNext).toEqual([])
      if (endedBy === 'user' && call.plan.script?.every(({ type }) => type !== 'hang-up')) {
        const all = [...given, ...interruptions, ...scripted.filter(text => text !== '')].sort()
        expect(whole.filter(text => !keys.has(text)).sort()).toEqual(all.filter(text => !keys.has(text)))
      }
    }),
    { numRuns: runs(500) },
  )
})

test('only a barge-in or the end of the call cuts a speaker short', () => {
  fc.assert(
    fc.property(anyCalls, call => {
      let count = 0
      for (const { state, event } of playCall(call)) {
        const cut = state.messages.slice(count).filter(({ interrupted }) => interrupted === true)
        if (cut.length > 0) expect(event.type === 'barge-in' || state.phase === 'finished').toBe(true)
        count = state.messages.length
      }
    }),
    { numRuns: runs(300) },
  )
})

test('loses no reply: unless interrupted, all its parts are spoken in order', () => {
  fc.assert(
    fc.property(calls, call => {
      const taken = playCall(call)
      const effects = taken.flatMap(step => step.effects)
      const { endedBy, messages } = ended(taken)
      const givenUp = effects.some(({ type }) => type === 'cancel')
      const cut = taken.some(
        ({ event, state }, index) =>
          event.type === 'barge-in' && state.assistant?.id !== taken[index - 1]?.state.assistant?.id,
      )
      // A reply that is complete and waits while the caller speaks is given up when the caller has spoken.
      const dropped = taken.some(({ state }, index) => {
        const before = taken[index - 1]?.state
        const begins =
          state.assistant?.id !== before?.assistant?.id && state.assistant?.speech.kind === 'reply'
        return repliesWaiting(state) + (begins ? 1 : 0) < repliesWaiting(before)
      })
      fc.pre(!givenUp && !cut && !dropped && (endedBy === 'user' || endedBy === 'assistant'))
      fc.pre(taken.every(({ event }) => event.type !== 'hang-up'))
      const made = taken.flatMap(({ event }, index) => {
        const before = taken[index - 1]?.state
        return event.type === 'made' &&
          before?.thinking === true &&
          before.turn === event.turn &&
          !before.closing
          ? [event.text.trim()]
          : []
      })
      const said = messages.flatMap(({ role, text }) => (role === 'assistant' ? [text] : []))
      expect(
        isSubsequence(
          made.filter(text => text !== ''),
          said,
        ),
      ).toBe(true)
    }),
    { numRuns: runs(500), maxSkipsPerRun: 1000 },
  )
})

test('speaks a reply completely before the caller’s next scripted line unless canceled', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('One', 'Two', 'Three and more'), { maxLength: 6 }),
      fc.boolean(),
      (lines, callerFirst) => {
        const plan = {
          ...plainPlan,
          welcome: { ...plainPlan.welcome, callerFirst },
          script: lines.map(say),
        }
        const said = ended(play(plan)).messages.map(({ text }) => text)
        const turnsOf = lines.flatMap((text, index) =>
          index === 0 && callerFirst ? [text, 'Welcome.', `re: ${text}`] : [text, `re: ${text}`],
        )
        expect(said).toEqual(callerFirst ? turnsOf : ['Welcome.', ...turnsOf])
        expect(ended(play(plan)).endedBy).toBe('user')
      },
    ),
  )
})

function repliesWaiting(state: CallState | undefined): number {
  return state?.assistantNext.filter(({ kind }) => kind === 'reply').length ?? 0
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0
  for (const item of whole) if (item === part[at]) at += 1
  return at === part.length
}
