import { describe, expect, test } from 'vitest'
import { advanceCall } from '../../../src/sandbox/engine/call-engine.ts'
import type { CallPlan } from '../../../src/sandbox/engine/call-state.ts'
import { type CallEvent, type CallState, newCall } from '../../../src/sandbox/engine/call-state.ts'
import { acknowledge, bargeInAfter, heardWithin } from '../../../src/sandbox/engine/turn-taking.ts'
import {
  ended,
  long,
  plainPlan,
  plan,
  play,
  say,
  type Taken,
  transcript,
  turnTaking,
  user,
} from './call-plans.ts'

const silent = { ...plainPlan.welcome, message: '' }
const welcomed = (message: string, changes: Partial<CallPlan['welcome']> = {}) => ({
  ...plainPlan.welcome,
  message,
  ...changes,
})
const live = plan({ script: undefined, maxDuration: 60_000 })
const typed = { ...live, turnTaking: turnTaking({ typed: true }) }
const assistant = (at: number, text: string) => ({
  at,
  event: { type: 'say', role: 'assistant', text } as const,
})
const interrupt = (at: number, text: string) => ({ at, event: { type: 'interrupt', text } as const })
const hangUp = (at: number) => ({ at, event: { type: 'hang-up', by: 'control' } as const })

const effectsOf = (taken: readonly Taken[]) => taken.flatMap(({ effects }) => effects)
const asked = (taken: readonly Taken[]) =>
  effectsOf(taken).flatMap(effect => (effect.type === 'think' ? [effect.lines] : []))

const strays: readonly CallEvent[] = [
  { type: 'placed' },
  { type: 'picked-up' },
  { type: 'given-up' },
  { type: 'spoken', id: 99 },
  { type: 'barge-in', id: 99 },
  { type: 'cut-in', id: 99 },
  { type: 'turn', moment: 99 },
  { type: 'idle', moment: 99 },
  { type: 'silence-over', silence: 99 },
  { type: 'drafted', turn: 99, text: 'late' },
  { type: 'made', turn: 99, text: 'late' },
  { type: 'replied', turn: 99, answered: true, ending: undefined },
]
const lines: readonly CallEvent[] = [
  { type: 'limit' },
  { type: 'say', role: 'user', text: 'Hello' },
  { type: 'interrupt', text: 'Wait' },
  { type: 'silence', milliseconds: 10 },
]

describe('the course of a call', () => {
  test('is reported step by step: queued, a second later ongoing, finished, with messages as spoken', () => {
    const taken = play(plan({ script: [say('Hi')] }))
    const told = taken.flatMap(({ at, effects }) => effects.map(effect => ({ at, effect })))
    expect(told.flatMap(({ at, effect }) => (effect.type === 'status' ? [[at, effect.status]] : []))).toEqual(
      [
        [0, 'queued'],
        [1000, 'ongoing'],
        [expect.any(Number), 'finished'],
      ],
    )
    const messages = told.flatMap(({ effect }) => (effect.type === 'conversation' ? [effect.message] : []))
    expect(messages).toEqual([
      { messageId: 'CC-1-1', role: 'assistant', text: 'Welcome.', at: 1533 },
      { messageId: 'CC-1-2', role: 'user', text: 'Hi', at: 1933 },
      { messageId: 'CC-1-3', role: 'assistant', text: 're: Hi', at: 2333 },
    ])
    expect(told.at(-1)?.effect).toEqual({ type: 'status', status: 'finished' })
    expect(ended(taken)).toMatchObject({
      phase: 'finished',
      messages,
      endedBy: 'user',
      questionCount: 1,
      answerCount: 1,
      startedAt: 1000,
      endedAt: 2333,
    })
  })

  test('ignores what is early, late, or from another moment', () => {
    const scripted = plan({ script: [say('Hi'), { type: 'silence', milliseconds: 5000 }] })
    const calls: readonly [CallPlan, Parameters<typeof play>[1]][] = [
      [scripted, {}],
      [
        live,
        {
          outside: [user(2000, 'A question'), user(2100, long)],
          reply: () => ({ parts: [long, 'b'], each: 900 }),
        },
      ],
      [
        typed,
        {
          outside: [user(2000, 'A question'), user(4000, 'Stop')],
          reply: () => ({ parts: ['a'], each: 5000 }),
        },
      ],
      [{ ...live, welcome: welcomed(long) }, { outside: [interrupt(1500, 'Wait')] }],
    ]
    for (const [of, how] of calls) {
      const taken = play(of, how)
      for (const { state, at } of [...taken, { state: newCall, at: 0 }]) {
        const own: Partial<Record<CallState['phase'], readonly string[]>> = {
          new: ['placed'],
          queued: ['picked-up', 'given-up'],
        }
        const events = state.phase === 'ongoing' ? strays : [...strays, ...lines]
        for (const event of events.filter(({ type }) => own[state.phase]?.includes(type) !== true))
          expect(advanceCall(of, state, event, at + 1)).toEqual({ state, effects: [] })
      }
    }
    const over = ended(play(scripted))
    expect(advanceCall(plainPlan, over, { type: 'hang-up', by: 'control' }, 90_000)).toEqual({
      state: over,
      effects: [],
    })
  })

  test('sets no timer but those that it needs', () => {
    const timers = (of: CallPlan) =>
      effectsOf(play(of)).flatMap(effect =>
        effect.type === 'after' ? [[effect.event.type, effect.milliseconds]] : [],
      )
    expect(timers(plan({ script: [say('Hi')] }))).toEqual([
      ['picked-up', 1000],
      ['limit', plainPlan.maxDuration],
      ['spoken', 533],
      ['spoken', 400],
      ['turn', 0],
      ['spoken', 400],
    ])
    const cut = { ...plainPlan.phone, cut: { after: 700, by: 'user' } } as const
    expect(timers(plan({ phone: cut }))).toContainEqual(['hang-up', 700])
    const pickedUp = play(plan({})).find(({ event }) => event.type === 'picked-up')
    expect(pickedUp?.effects.map(({ type }) => type)).toEqual(['status', 'after', 'after'])
    const alone = play(live, { outside: [user(5000, 'Hello')] }).find(({ event }) => event.type === 'say')
    expect(alone?.effects).toEqual([
      { type: 'after', milliseconds: 400, event: { type: 'spoken', id: alone?.state.caller?.id } },
    ])
  })

  test('asks twice and counts both where the caller asks twice', () => {
    expect(ended(play(plan({ script: [say('One'), say('Two')] })))).toMatchObject({
      questionCount: 2,
      answerCount: 2,
    })
  })

  test.each(['control', 'assistant', 'user'] as const)('ends before it was answered when %s hangs up', by => {
    const taken = play(plainPlan, { outside: [{ at: 500, event: { type: 'hang-up', by } }] })
    expect(ended(taken)).toMatchObject({
      messages: [],
      startedAt: undefined,
      endedAt: 500,
      endedBy: by,
      forwardedTo: undefined,
    })
  })

  test('leaves nothing to say or to wait for', () => {
    const taken = play(live, {
      outside: [user(2000, 'First line'), user(2001, 'Second line'), assistant(2002, 'Third'), hangUp(2100)],
    })
    expect(ended(taken)).toMatchObject({
      assistant: undefined,
      caller: undefined,
      assistantNext: [],
      callerNext: [],
      thinking: false,
      waiting: undefined,
      silent: false,
    })
    const pause = play(live, {
      outside: [{ at: 3000, event: { type: 'silence', milliseconds: 9000 } }, hangUp(4000)],
    })
    expect(ended(pause).silent).toBe(false)
  })

  test('ends when the script hangs up', () => {
    const taken = play(plan({ script: [say('Hi'), { type: 'hang-up' }, say('never said')] }))
    expect(transcript(ended(taken))).toEqual(['assistant: Welcome.', 'user: Hi', 'assistant: re: Hi'])
    expect(ended(taken).endedBy).toBe('user')
  })

  test('waits for silence only where the caller may be silent', () => {
    const timers = (of: CallPlan) =>
      effectsOf(play(of)).filter(effect => effect.type === 'after' && effect.event.type === 'idle').length
    expect(timers(plan({ script: [say('Hi')] }))).toBe(0)
    expect(timers(live)).toBeGreaterThan(0)
  })
})

describe('the end of a call', () => {
  const endCall = { phrases: ['bye'], message: 'So long.' }

  test('matches a phrase of the caller, after its message', () => {
    const taken = play(plan({ welcome: silent, script: [say('Good, bye!'), say('never said')], endCall }))
    expect(transcript(ended(taken))).toEqual(['user: Good, bye!', 'assistant: So long.'])
    expect(ended(taken)).toMatchObject({ endedBy: 'assistant', forwardedTo: undefined })
    const blank = play(plan({ welcome: silent, script: [say('Bye')], endCall: { ...endCall, message: '' } }))
    expect(transcript(ended(blank))).toEqual(['user: Bye'])
  })

  test('is spoken completely, and speech of the caller meanwhile gets no reply', () => {
    const taken = play(
      plan({ welcome: silent, script: [say('Bye')], endCall: { ...endCall, message: long } }),
      { outside: [user(2000, 'One more thing, please')] },
    )
    expect(transcript(ended(taken))).toEqual([
      'user: Bye',
      'user: One more thing, please',
      `assistant: ${long}`,
    ])
  })

  test('ends with a reply that ends the call, or forwards it after it was spoken', () => {
    const reply = (kind: 'end-call' | 'forward') => () => ({
      parts: [],
      ending: { kind, message: 'One moment.', target: { name: 'Ada' } },
    })
    const script = [say('A person')]
    const call = plan({ welcome: silent, script })
    expect(ended(play(call, { reply: reply('end-call') })).forwardedTo).toBeUndefined()
    expect(ended(play(call, { reply: reply('forward') })).forwardedTo).toEqual({ name: 'Ada' })
    const cut = ended(play(call, { reply: reply('forward'), outside: [hangUp(1900)] }))
    expect(cut).toMatchObject({ endedBy: 'control', forwardedTo: undefined })
    expect(transcript(cut)).toEqual(['user: A person', 'assistant: One…'])
  })

  test('keeps everything spoken until the last word and marks what was cut off', () => {
    const said = (at: number) =>
      transcript(ended(play(live, { outside: [user(2000, 'We need two new tyres'), hangUp(at)] }))).slice(1)
    expect(said(2700)).toEqual(['user: We need…'])
    expect(said(3400)).toEqual(['user: We need two new tyres'])
    expect(said(2001)).toEqual([])
    const welcome = (at: number) => transcript(ended(play(live, { outside: [hangUp(at)] })))
    expect(welcome(1533)).toEqual(['assistant: Welcome.'])
    expect(welcome(1400)).toEqual([])
  })
})

describe('a message from outside', () => {
  test('is spoken by its speaker, trimmed and in order', () => {
    const taken = play(live, {
      outside: [
        assistant(3000, ' One more thing. '),
        assistant(3001, ' '),
        user(5000, ' Yes? '),
        user(5001, ' '),
        user(5002, 'Go on'),
      ],
    })
    const messages = ended(taken).messages.map(({ role, text, at }) => [role, text, at])
    expect(messages.slice(1, 4)).toEqual([
      ['assistant', 'One more thing.', 4000],
      ['user', 'Yes?', 5400],
      ['user', 'Go on', 5800],
    ])
  })

  test('is not dropped with a reply that the caller interrupts', () => {
    const taken = play(
      { ...live, welcome: silent },
      {
        outside: [
          user(1001, 'First'),
          user(3000, 'And a rather long second line'),
          assistant(3500, 'By the way.'),
        ],
        reply: given => ({ parts: given.map(line => `re: ${line}`), each: given.length > 1 ? 0 : 2000 }),
      },
    )
    expect(asked(taken)).toEqual([['First'], ['First', 'And a rather long second line']])
    expect(transcript(ended(taken)).slice(1, 4)).toEqual([
      'user: And a rather long second line',
      'assistant: By the way.',
      'assistant: re: First',
    ])
  })

  test('may be keys', () => {
    const outside = [{ at: 3000, event: { type: 'keys', keys: '12#' } as const }]
    expect(transcript(ended(play({ ...live, keysHeard: true }, { outside })))[1]).toBe('user: 12#')
    expect(transcript(ended(play(live, { outside })))[1]).not.toBe('user: 12#')
  })

  test('returns the floor to a live caller who did not take it', () => {
    const taken = play(live, { outside: [user(5000, ' ')] })
    expect(taken.find(({ event }) => event.type === 'say')?.effects).toEqual([{ type: 'listen' }])
  })

  test('waits, as an interruption, for the middle of what the assistant says', () => {
    const call = { ...live, welcome: welcomed(long, { interruptible: true }) }
    const cutIn = (at: number) =>
      play(call, { outside: [interrupt(at, 'Wait, please')] }).find(({ event }) => event.type === 'interrupt')
        ?.effects
    const timer = (milliseconds: number) => [
      { type: 'after', milliseconds, event: { type: 'cut-in', id: 1 } },
    ]
    expect(cutIn(1500)).toEqual(timer(2100))
    expect(cutIn(5000)).toEqual(timer(0))
    expect(transcript(ended(play(call, { outside: [interrupt(1500, 'Wait, please')] }))).slice(0, 2)).toEqual(
      ['assistant: We are open from Monday to Friday, and…', 'user: Wait, please'],
    )
  })

  test('is spoken immediately as an interruption if nobody speaks', () => {
    const taken = play(live, { outside: [interrupt(5000, 'Hello?')] })
    expect(ended(taken).messages[1]).toMatchObject({ role: 'user', text: 'Hello?', at: 5400 })
  })
})

describe('a reply', () => {
  test('requests a reply again that was dropped before it was spoken, with the new lines', () => {
    const taken = play(
      { ...live, welcome: silent },
      {
        outside: [user(1001, 'First'), user(3000, 'And a rather long second line')],
        reply: given => ({ parts: given.map(line => `re: ${line}`), each: given.length > 1 ? 0 : 2000 }),
      },
    )
    expect(asked(taken)).toEqual([['First'], ['First', 'And a rather long second line']])
    expect(transcript(ended(taken)).slice(0, 4)).toEqual([
      'user: First',
      'user: And a rather long second line',
      'assistant: re: First',
      'assistant: re: And a rather long second line',
    ])
  })

  test('continues under words that do not interrupt it, and the next reply answers them', () => {
    const taken = play(
      { ...live, welcome: silent, turnTaking: turnTaking({ bargeIn: { words: 5, voice: 0 } }) },
      {
        outside: [user(1001, 'When?'), user(3000, 'uh huh')],
        reply: given => ({ parts: given.includes('When?') ? [long, 'Come by.'] : ['Yes.'], each: 1500 }),
      },
    )
    expect(asked(taken)).toEqual([['When?'], ['uh huh']])
    expect(transcript(ended(taken)).slice(0, 5)).toEqual([
      'user: When?',
      'user: uh huh',
      `assistant: ${long}`,
      'assistant: Come by.',
      'assistant: Yes.',
    ])
  })

  test('does not request a stopped reply again, only unanswered lines', () => {
    const taken = play(
      { ...live, welcome: silent },
      {
        outside: [user(1001, 'When?'), user(3000, 'No, wait a moment')],
        reply: given => ({ parts: given.includes('When?') ? [long, 'Come by.'] : ['Yes.'] }),
      },
    )
    expect(asked(taken)).toEqual([['When?'], ['No, wait a moment']])
  })

  test('requests a reply with all lines if it was not started when the caller interrupted', () => {
    const taken = play(
      { ...live, welcome: silent },
      {
        outside: [user(1001, 'When?'), assistant(1500, long), user(3000, 'No, wait a moment')],
        reply: () => ({ parts: ['At nine.'], each: 9000 }),
      },
    )
    expect(asked(taken)).toEqual([['When?'], ['When?', 'No, wait a moment']])
  })

  test('requests a reply again that was generated while the caller spoke, with each new line once', () => {
    const taken = play(
      { ...live, welcome: silent, turnTaking: turnTaking({ bargeIn: { words: 4, voice: 0 } }) },
      {
        outside: [
          user(1001, 'When?'),
          assistant(1500, long),
          user(2000, 'uh huh'),
          user(4500, 'No, stop that now'),
        ],
        reply: given => ({ parts: ['At nine.'], each: given.length === 1 ? 3000 : 0 }),
      },
    )
    expect(asked(taken)).toEqual([['When?'], ['uh huh'], ['When?', 'uh huh', 'No, stop that now']])
  })

  test('keeps streaming while the caller speaks words that start with the assistant’s last ones', () => {
    const taken = play(
      { ...live, welcome: silent },
      {
        outside: [user(1001, 'When?'), assistant(2000, 'A moment.'), user(2500, 'Thank you')],
        reply: given => ({ parts: given.map(line => `re: ${line}`), each: 3000 }),
      },
    )
    expect(asked(taken)).toEqual([['When?'], ['Thank you']])
    expect(effectsOf(taken).filter(({ type }) => type === 'cancel')).toEqual([])
  })

  test('an empty reply does not repeat the lines', () => {
    const taken = play(live, {
      outside: [user(2000, 'One'), user(5000, 'Two')],
      reply: () => ({ parts: [] }),
    })
    expect(asked(taken)).toEqual([['One'], ['Two']])
  })

  test('to the first line starts with a delayed welcome, which may not be interrupted', () => {
    const taken = play(
      plan({
        welcome: welcomed(long, { callerFirst: true }),
        script: [say('Hello'), { type: 'interrupt', text: 'Wait, wait' }],
      }),
    )
    expect(transcript(ended(taken))).toEqual([
      'user: Hello',
      'user: Wait, wait',
      `assistant: ${long}`,
      'assistant: re: Hello',
      'assistant: re: Wait, wait',
    ])
    const [welcome] = ended(taken).messages.filter(({ text }) => text === long)
    expect(ended(taken).messages.find(({ text }) => text === 'Wait, wait')?.at).toBeLessThan(welcome?.at ?? 0)
  })
})

describe('a caller who types', () => {
  const slow = (given: readonly string[]) => ({
    parts: given.map(line => `re: ${line}`),
    each: given.includes('Stop') ? 0 : 9000,
  })
  const drafted = (at: number, text: string): { at: number; event: CallEvent } => ({
    at,
    event: { type: 'drafted', turn: 1, text },
  })

  test('is answered again: to both lines if nothing was read, else to the last', () => {
    const call = (...outside: readonly { readonly at: number; readonly event: CallEvent }[]) =>
      asked(play(typed, { outside: [user(2000, 'More'), ...outside, user(3000, 'Stop')], reply: slow }))
    expect(call()).toEqual([['More'], ['More', 'Stop']])
    expect(call(drafted(2500, '  '))).toEqual([['More'], ['More', 'Stop']])
    expect(call(drafted(2500, 'It all '))).toEqual([['More'], ['Stop']])
  })

  test('reads each message of a reply once, also where it stops the next one', () => {
    const taken = play(typed, {
      outside: [user(2000, 'More'), user(3900, 'Stop')],
      reply: () => ({ parts: ['One.', 'Two.'], each: 1000 }),
    })
    expect(transcript(ended(taken)).slice(1, 4)).toEqual(['user: More', 'assistant: One.', 'user: Stop'])
  })

  test('interrupts text that is read immediately, else the first words that are read', () => {
    const call = (...outside: readonly { readonly at: number; readonly event: CallEvent }[]) =>
      ended(play(typed, { outside: [user(2000, 'More'), ...outside], reply: slow })).messages.slice(2, 4)
    expect(call(drafted(2500, 'It all '), interrupt(3000, 'Stop'))).toMatchObject([
      { role: 'assistant', text: 'It all', at: 3200, interrupted: true },
      { role: 'user', text: 'Stop', at: 3400 },
    ])
    const waited = [
      { role: 'assistant', text: 'It all', at: 2700, interrupted: true },
      { role: 'user', text: 'Stop', at: 2900 },
    ]
    expect(call(interrupt(2200, 'Stop'), drafted(2500, 'It all '))).toMatchObject(waited)
    const blank = [drafted(2450, ' '), interrupt(2460, 'Stop')] as const
    expect(call(...blank, drafted(2500, 'It all '))).toMatchObject(waited)
    const blankLater = [interrupt(2200, 'Stop'), drafted(2450, '\n')] as const
    expect(call(...blankLater, drafted(2500, 'It all '))).toMatchObject(waited)
    const taken = play(typed, { outside: [user(2000, 'More'), ...blank], reply: slow })
    expect(taken.find(({ event }) => event.type === 'interrupt')?.state.interruptions).toEqual(['Stop'])
  })
})

describe('text and times', () => {
  test.each([
    ['one two', { words: 3, voice: 0 }, undefined],
    ['one two thr', { words: 3, voice: 0 }, 733],
    ['one  two three  four five six', { words: 3, voice: 9000 }, 967],
    ['uh', { words: 0, voice: 401 }, undefined],
    ['uh', { words: 0, voice: 400 }, 400],
    ['a longer line than that', { words: 0, voice: 300 }, 300],
  ])('%j stops the assistant by %j after %j', (line, bargeIn, expected) => {
    expect(bargeInAfter(line, turnTaking({ bargeIn }))).toBe(expected)
  })

  test.each([
    ['one two three', 0, 'Sure.'],
    ['one two three four', 0, undefined],
    ['', 1, 'Yes?'],
    ['  one  two three ', 2, 'Sure.'],
    ['one', 3, undefined],
  ])('an interruption after %j, the %j before it acknowledged, gets %j', (heard, before, expected) => {
    const acknowledgement = { count: 3, words: 3, phrases: ['Sure.', 'Yes?'] }
    expect(acknowledge(heard, before, turnTaking({ acknowledgement }))).toBe(expected)
    expect(acknowledge(heard, before, turnTaking({}))).toBeUndefined()
  })

  test('an interruption before the first word is acknowledged if no word may be heard', () => {
    const first = turnTaking({ acknowledgement: { count: 1, words: 0, phrases: ['Sure.'] } })
    expect(acknowledge('', 0, first)).toBe('Sure.')
    expect(acknowledge('one', 0, first)).toBeUndefined()
  })

  test.each([
    ['one two three four', 0, ''],
    ['one two three four', 600, 'one two'],
    ['one  two', 60_000, 'one  two'],
    [' one   two  three four ', 800, 'one two'],
  ])('of %j, %j ms are heard as %j', (text, milliseconds, heard) => {
    expect(heardWithin(text, milliseconds)).toBe(heard)
  })
})

test('marks whether a reply is a fallback', () => {
  const made = (fallback: object) => {
    const [picked, spoken, turn] = [
      { type: 'picked-up' },
      { type: 'spoken', id: 1 },
      { type: 'turn', moment: 1 },
    ] as const
    const reply = { type: 'made', turn: 1, text: 'No idea.', ...fallback } as const
    const course = [{ type: 'placed' }, picked, spoken, turn, reply] as const
    const asking = plan({ welcome: silent, script: [say('Why?')] })
    return course.reduce((state, event) => advanceCall(asking, state, event, 0).state, newCall).assistant
      ?.speech
  }
  expect(made({})).toEqual({ kind: 'reply', text: 'No idea.', answers: ['Why?'] })
  expect(made({})).toMatchObject({ text: 'No idea.', fallback: undefined })
  expect(made({ fallback: true })).toMatchObject({ text: 'No idea.', fallback: true })
})
