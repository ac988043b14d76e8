import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { comparableNumber, type PhoneOutcome, phoneOutcomes } from '../../../src/interface/phone-number.ts'
import { outcomeAfter, testNumbers, withOutcome } from '../../../src/sandbox/engine/phone-outcome.ts'
import { ended, plainPlan, play, say, transcript } from './call-plans.ts'

const lines = [say('Are you open?'), say('Thanks, goodbye.')]
const call = (outcome: PhoneOutcome, changes: Partial<typeof plainPlan> = {}) =>
  ended(play(withOutcome({ ...plainPlan, script: lines, ...changes }, outcome)))
const statuses = (outcome: PhoneOutcome) =>
  play(withOutcome({ ...plainPlan, script: lines }, outcome)).flatMap(({ effects, at }) =>
    effects.flatMap(one => (one.type === 'status' ? [`${one.status} ${at}`] : [])),
  )

describe('a call that is not answered', () => {
  test.each([
    ['busy', 'busy', 1000],
    ['no-answer', 'no-answer', 30_000],
    ['unreachable', 'failed', 1000],
  ] as const)('%s: the system ends the call without messages', (outcome, phoneCallStatus, endedAt) => {
    expect(statuses(outcome)).toEqual(['queued 0', `finished ${endedAt}`])
    expect(call(outcome)).toMatchObject({
      phoneCallStatus,
      endedBy: 'system',
      endedAt,
      startedAt: undefined,
      messages: [],
      forwardedTo: undefined,
    })
  })

  test('a call that ends while ringing was canceled', () => {
    const hangUp = { at: 12_000, event: { type: 'hang-up', by: 'control' } } as const
    const taken = play(withOutcome(plainPlan, 'no-answer'), { outside: [hangUp] })
    expect(ended(taken)).toMatchObject({
      phoneCallStatus: 'canceled',
      endedBy: 'control',
      endedAt: 12_000,
      startedAt: undefined,
    })
    expect(taken.at(-1)).toMatchObject({ event: { type: 'given-up' }, effects: [] })
  })

  test('does not hear what is said to it', () => {
    const said = { at: 500, event: { type: 'say', role: 'assistant', text: 'Hello?' } } as const
    expect(ended(play(withOutcome(plainPlan, 'busy'), { outside: [said] })).messages).toEqual([])
  })
})

describe('a call that is answered', () => {
  test('by hand: the plan is unchanged', () => {
    expect(withOutcome(plainPlan, 'answered')).toBe(plainPlan)
    expect(call('answered')).toMatchObject({ phoneCallStatus: undefined, startedAt: 1000, endedBy: 'user' })
  })

  test('by voicemail: the assistant speaks after the greeting, and the machine hangs up after silence', () => {
    const state = call('voicemail')
    expect(transcript(state)).toEqual([
      expect.stringMatching(/^user: .*leave a message after the tone\.$/),
      'assistant: Welcome.',
      expect.stringMatching(/^assistant: re: The person/),
    ])
    expect(state.endedBy).toBe('user')
    expect((state.endedAt ?? 0) - (state.messages.at(-1)?.at ?? 0)).toBe(10_000)
    // An assistant that waits for the caller has heard one.
    const waits = { message: 'Welcome.', callerFirst: true, interruptible: false }
    expect(transcript(call('voicemail', { welcome: waits }))).toHaveLength(3)
  })

  test('by a caller who hangs up during the welcome, keeping the words that were heard', () => {
    const message = 'Welcome to the workshop of the town, how can I help you today?'
    const state = call('hang-up', { welcome: { ...plainPlan.welcome, message: `  ${message}\n` } })
    expect(transcript(state)).toEqual(['assistant: Welcome to the workshop of the…'])
    const half = Math.round((message.length / 15) * 500)
    expect(state).toMatchObject({ endedBy: 'user', endedAt: 1000 + half, phoneCallStatus: undefined })
  })

  test.each([
    ['is empty', { message: '  ', callerFirst: false, interruptible: false }],
    ['waits for the caller', { message: 'Welcome.', callerFirst: true, interruptible: false }],
  ])('by a caller who hangs up after a second where the welcome %s', (_, welcome) => {
    expect(call('hang-up', { welcome, script: [{ type: 'silence', milliseconds: 5000 }] })).toMatchObject({
      endedBy: 'user',
      endedAt: 2000,
    })
  })

  test.each([
    ['who has more to say', Array.from({ length: 20 }, () => say('And another thing that I want to know.'))],
    ['who has said all', [say('Hello')]],
    ['whose words come from outside', undefined],
  ])('by a caller %s, until the line drops without a goodbye or a hangup', (_, script) => {
    expect(call('dropped', { script })).toMatchObject({
      endedBy: 'system',
      endedAt: 11_000,
      phoneCallStatus: undefined,
    })
  })

  test('a caller who hangs up before the line drops has hung up', () => {
    expect(call('dropped', { script: [say('Hi'), { type: 'hang-up' }] }).endedBy).toBe('user')
  })

  test('by a silent caller: idle messages repeat until the longest duration', () => {
    const idle = { after: 30_000, most: 2, message: 'Are you still there?' }
    const state = call('silent', { idle, maxDuration: 5 * 60_000 })
    expect(transcript(state)).toEqual([
      'assistant: Welcome.',
      'assistant: Are you still there?',
      'assistant: Are you still there?',
    ])
    expect(state).toMatchObject({ endedBy: 'system', endedAt: 1000 + 5 * 60_000 })
    const endless = call('silent', { idle: { ...idle, most: undefined }, maxDuration: 5 * 60_000 })
    expect(endless.messages.length).toBeGreaterThan(8)
  })

  test('a silent caller counts as live for outside messages', () => {
    const said = { at: 60_000, event: { type: 'say', role: 'user', text: 'Here I am' } } as const
    const taken = play(withOutcome(plainPlan, 'silent'), { outside: [said] })
    expect(transcript(ended(taken))).toContain('assistant: re: Here I am')
  })
})

test('uses outcomes in order and repeats the last one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...phoneOutcomes), { maxLength: 6 }),
      fc.nat(20),
      (outcomes, earlier) => {
        const expected = earlier < outcomes.length ? outcomes[earlier] : (outcomes.at(-1) ?? 'answered')
        expect(outcomeAfter(outcomes, earlier)).toBe(expected)
      },
    ),
  )
})

test('every outcome has a number for tests, and each number is one of +1 202 555 0181 to 0188', () => {
  expect(testNumbers.map(({ number }) => number)).toEqual(
    Array.from({ length: 8 }, (_, index) => `+1202555018${index + 1}`),
  )
  expect(new Set(testNumbers.flatMap(({ outcomes }) => outcomes))).toEqual(new Set(phoneOutcomes))
  expect(testNumbers.filter(({ outcomes }) => outcomes.length !== 1)).toMatchObject([
    { outcomes: ['no-answer', 'answered'] },
  ])
})

describe('a number is the same in every notation', () => {
  test.each([
    '+1 202 555 0181',
    ' +1 (202) 555-0181 ',
    '+1-202-555-0181',
    '+1.202.555.0181',
    '+12025550181',
    '12025550181',
    '1 (202) 555-0181',
    '(202) 555-0181',
    '2025550181',
    '001 202 555 0181',
    '011 1 202 555 0181',
    '2025550181.0',
    'tel:+1-202-555-0181',
    'tel:+1-202-555-0181;ext=7',
    '+1 202 555 0181 x7',
    '+1 202 555 0181 ext. 7',
    '+1 202 555 0181,,7#',
    'sip:+12025550181@example.com',
    '＋１ ２０２ ５５５ ０１８１',
    '+١٢٠٢٥٥٥٠١٨١',
    '\u202a+1 202 555 0181\u202c',
    '+1\u00a0202\u2011555\u20110181',
  ])('%s', written => {
    expect(comparableNumber(written)).toBe('12025550181')
  })

  test.each([
    ['+44 (0)20 7946 0181', '442079460181'],
    ['00 44 20 7946 0181', '442079460181'],
    ['+47 22 33 44 55', '4722334455'],
    ['020 7946 0181', '02079460181'],
    ['0202555018', '0202555018'],
    ['+52 1 55 1234 5678', '525512345678'],
    ['anonymous', 'anonymous'],
    [' Anonymous', 'anonymous'],
    ['', ''],
    ['911', '911'],
    ['0012345678', '0012345678'],
    ['00 123 456 789', '123456789'],
    ['+1 202 555 0181 0', '120255501810'],
  ])('%s is %s', (written, digits) => {
    expect(comparableNumber(written)).toBe(digits)
  })

  test('any separators between digits are ignored', () => {
    const separators = fc.array(fc.constantFrom('', ' ', '-', '.', '/', ' - ', '\t'), {
      minLength: 11,
      maxLength: 11,
    })
    fc.assert(
      fc.property(separators, between => {
        const written = [...'12025550181'].map((digit, index) => digit + between[index]).join('')
        expect(comparableNumber(`+${written}`)).toBe('12025550181')
      }),
    )
  })

  test('takes time linear in the length of a text', () => {
    expect(comparableNumber(`+1${' '.repeat(200_000)}2`)).toBe('12')
    expect(comparableNumber('1 '.repeat(100_000))).toHaveLength(100_000)
  })
})
