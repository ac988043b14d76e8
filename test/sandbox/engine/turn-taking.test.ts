import { describe, expect, test } from 'vitest'
import type { CallPlan } from '../../../src/sandbox/engine/call-state.ts'
import { waitBeforeReply } from '../../../src/sandbox/engine/turn-taking.ts'
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

/** The time of the call at which a message was complete, from when it was placed. */
const times = (taken: readonly Taken[]) => ended(taken).messages.map(({ at, text }) => [text, at])

test('a welcome that may not be interrupted is spoken completely, and the caller is answered afterwards', () => {
  const script = [{ type: 'interrupt', text: 'Wait, stop there please' } as const]
  const call = play(plan({ welcome: { message: long, callerFirst: false, interruptible: false }, script }))
  expect(transcript(ended(call))).toEqual([
    'user: Wait, stop there please',
    `assistant: ${long}`,
    'assistant: re: Wait, stop there please',
  ])
})

describe('waits before a reply (startSpeakingOptions)', () => {
  const wait = { always: 100, afterPunctuation: 10, afterNumber: 1000, afterOther: 500 }

  test.each([
    ['That is all.', 110],
    ['Really?”', 110],
    ['再见。', 110],
    ['It is 12', 1100],
    ['It is 12  ', 1100],
    ['12 tyres', 600],
    ['Yes. And so', 600],
    ['Is it "so?"', 110],
    ['It is 12.', 1100],
    ['and then', 600],
  ])('%j: %j', (line, expected) => {
    expect(waitBeforeReply(line, turnTaking({ wait }))).toBe(expected)
  })

  test('replies once to a caller who continues speaking', () => {
    const call = play(
      plan({
        welcome: { ...plainPlan.welcome, message: '' },
        script: undefined,
        maxDuration: 10_000,
        turnTaking: turnTaking({ wait: { ...wait, always: 2000 } }),
      }),
      {
        outside: [user(1001, 'First'), user(2500, 'Second')],
        reply: lines => ({ parts: [lines.join('+')] }),
      },
    )
    expect(transcript(ended(call))).toEqual(['user: First', 'user: Second', 'assistant: First+Second'])
  })
})

describe('barge-in (stopSpeakingOptions)', () => {
  const call = (text: string, bargeIn: CallPlan['turnTaking']['bargeIn']) =>
    transcript(
      ended(
        play(
          plan({
            welcome: { message: '', callerFirst: true, interruptible: false },
            script: [say('When?'), { type: 'interrupt', text }, say('Bye')],
            turnTaking: turnTaking({ bargeIn }),
          }),
          { reply: lines => ({ parts: lines.includes('When?') ? [long, 'Come by.'] : [`re: ${lines}`] }) },
        ),
      ),
    )

  test('stops the assistant after the configured number of words, and drops the rest of the reply', () => {
    expect(call('no wait, on Sunday', { words: 3, voice: 0 })).toEqual([
      'user: When?',
      'assistant: We are open from Monday to Friday, and on Saturday…',
      'user: no wait, on Sunday',
      'assistant: re: no wait, on Sunday',
      'user: Bye',
      'assistant: re: Bye',
    ])
  })

  test('cancels a reply in progress, and the next prompt contains what was spoken', () => {
    const taken = play(
      plan({ welcome: { ...plainPlan.welcome, message: '' }, script: undefined, maxDuration: 60_000 }),
      {
        outside: [user(1001, 'First question'), user(4000, 'Another question')],
        reply: lines => ({ parts: lines.map(line => `re: ${line}`), each: 10_000 }),
      },
    )
    expect(taken.flatMap(({ effects }) => effects.filter(({ type }) => type === 'cancel'))).toEqual([
      { type: 'cancel', turn: 1 },
    ])
    expect(transcript(ended(taken)).slice(0, 4)).toEqual([
      'user: First question',
      'user: Another question',
      'assistant: re: First question',
      'assistant: re: Another question',
    ])
  })
})

test('an early interruption is acknowledged, as often as configured (userInterruptionAckPlan)', () => {
  const call = play(
    plan({
      welcome: { message: '', callerFirst: true, interruptible: false },
      script: [
        say('When?'),
        { type: 'interrupt', text: 'And where, please?' },
        { type: 'interrupt', text: 'And who is there?' },
      ],
      turnTaking: turnTaking({ acknowledgement: { count: 1, words: 9, phrases: ['Sure.', 'Yes?'] } }),
    }),
    { reply: () => ({ parts: [long] }) },
  )
  expect(transcript(ended(call))).toEqual([
    'user: When?',
    expect.stringMatching(/^assistant: We are .*…$/),
    'user: And where, please?',
    'assistant: Sure.',
    expect.stringMatching(/^assistant: We are .*…$/),
    'user: And who is there?',
    `assistant: ${long}`,
  ])
})

describe('silence', () => {
  const silence = { type: 'silence', milliseconds: 3_600_000 } as const
  const idle = { after: 30_000, most: 3, message: 'Are you still there?' }

  test('of exactly the idle timeout causes an idle message', () => {
    const script = [{ type: 'silence', milliseconds: idle.after } as const]
    expect(transcript(ended(play(plan({ script, idle }))))).toContain(`assistant: ${idle.message}`)
  })

  test('an hour of silence causes the maximum number of consecutive idle messages', () => {
    const taken = play(plan({ script: [silence, say('Yes'), silence], idle, maxDuration: 3 * 3_600_000 }))
    expect(transcript(ended(taken))).toEqual([
      'assistant: Welcome.',
      ...Array(3).fill('assistant: Are you still there?'),
      'user: Yes',
      'assistant: re: Yes',
      ...Array(3).fill('assistant: Are you still there?'),
    ])
    const { startedAt = 0, endedAt = 0, endedBy } = ended(taken)
    expect(endedAt - startedAt).toBeGreaterThan(7_200_000)
    expect(endedBy).toBe('user')
    const [welcome = 0, first = 0, second = 0] = ended(taken).messages.map(({ at }) => at)
    expect([first - welcome, second - first]).toEqual([31_333, 31_333])
  })

  test('without a limit, continues until the caller speaks or the call is cut off', () => {
    const taken = play(plan({ script: undefined, idle: { ...idle, most: undefined }, maxDuration: 600_000 }))
    expect(transcript(ended(taken)).filter(text => text.endsWith('there?'))).toHaveLength(19)
    expect(ended(taken)).toMatchObject({ endedBy: 'system', endedAt: 601_000 })
  })

  test('a short silence causes no idle message, and a line from outside ends it', () => {
    const taken = play(plan({ script: [silence], idle }), { outside: [user(5000, 'Back again')] })
    expect(transcript(ended(taken))).toEqual([
      'assistant: Welcome.',
      'user: Back again',
      'assistant: re: Back again',
    ])
  })
})

test('keys are a line of the caller where they are heard', () => {
  const keys = [{ type: 'keys', keys: '12#' } as const]
  expect(transcript(ended(play(plan({ script: keys, keysHeard: true }))))).toContain('user: 12#')
  const deaf = play(plan({ script: keys }))
  expect(transcript(ended(deaf))).toEqual(['assistant: Welcome.'])
  expect(deaf.flatMap(({ effects }) => effects)).toContainEqual({
    type: 'warning',
    message: expect.stringContaining('dtmfInputEnabled'),
  })
})

test('a script of unheard keys takes time, is reported once, and ends', () => {
  const script = Array.from({ length: 30_000 }, () => ({ type: 'keys', keys: '12' }) as const)
  const taken = play(plan({ script, maxDuration: 60_000 }))
  const warnings = taken.flatMap(({ effects }) => effects.filter(({ type }) => type === 'warning'))
  expect(warnings).toHaveLength(1)
  expect(ended(taken)).toMatchObject({ endedBy: 'system', endedAt: 61_000 })
})

test('a reply may forward the call after it was spoken', () => {
  const taken = play(plan({ script: [say('A person, please'), say('never said')] }), {
    reply: () => ({
      parts: ['Of course.'],
      ending: { kind: 'forward', message: 'One moment.', target: { name: 'Ada' } },
    }),
  })
  expect(transcript(ended(taken)).slice(1)).toEqual([
    'user: A person, please',
    'assistant: Of course.',
    'assistant: One moment.',
  ])
  expect(ended(taken)).toMatchObject({ endedBy: 'assistant', forwardedTo: { name: 'Ada' } })
})

describe('a caller who types', () => {
  const typed = plan({
    script: undefined,
    maxDuration: 60_000,
    turnTaking: turnTaking({ typed: true }),
  })

  test('prints words as they are generated, then gives the floor to the caller, in speech time', () => {
    const taken = play(typed, { outside: [user(2000, 'Hello there')] })
    const effects = taken.flatMap(step => step.effects)
    expect(effects).toContainEqual({ type: 'draft', text: 're: Hello there' })
    expect(times(taken)).toEqual([
      ['Welcome.', 1533],
      ['Hello there', 2733],
      ['re: Hello there', 3733],
      ['Are you still there?', 35_066],
    ])
    expect(effects.filter(({ type }) => type === 'listen')).toHaveLength(3)
  })

  test('typing stops a reply and keeps what was read of it', () => {
    const taken = play(typed, {
      outside: [
        user(2000, 'Tell me more'),
        { at: 3200, event: { type: 'drafted', turn: 1, text: 'It all began ' } },
        user(3500, 'No, stop'),
      ],
      reply: lines => ({
        parts: lines.map(line => `re: ${line}`),
        each: lines.includes('No, stop') ? 0 : 5000,
      }),
    })
    expect(transcript(ended(taken)).slice(1, 5)).toEqual([
      'user: Tell me more',
      'assistant: It all began…',
      'user: No, stop',
      'assistant: re: No, stop',
    ])
  })
})
