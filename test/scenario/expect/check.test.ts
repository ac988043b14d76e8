import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KnowledgeSearch } from '../../../src/sandbox/index.ts'
import { checkCall, checkTurn } from '../../../src/scenario/expect/check.ts'
import { readTextMatcher } from '../../../src/scenario/expect/text.ts'
import { readValueMatcher } from '../../../src/scenario/expect/value.ts'
import type {
  Failure,
  ObservedCall,
  ObservedTool,
  ObservedTurn,
  SpokenMessage,
  TextMatcher,
  ValueMatcher,
} from '../../../src/scenario/index.ts'
import type { Expectation, TestTurn } from '../../../src/scenario/test-case.ts'
import { callerDoing, madeResult, madeTurn } from '../made-results.ts'

const location = { file: 'tests/x.test.yaml', path: ['turns'], position: undefined }
type Bare = Expectation extends infer Each
  ? Each extends Expectation
    ? Omit<Each, 'location'>
    : never
  : never

const text = (value: string): TextMatcher => ({ kind: 'contains', text: value })
const any: ValueMatcher = { kind: 'any' }
const [nine, onFriday, twoOrMore, ofAda] = [
  await readTextMatcher('/NINE/i'),
  await readValueMatcher({ day: '2026-01-02' }),
  await readValueMatcher({ count: '>= 2' }),
  await readValueMatcher({ day: '2026-01-02', who: { name: 'Ada' } }),
]
function callOf(
  turns: readonly ObservedTurn[],
  record: Partial<ObservedCall['record']> = {},
  lengthMs = 60_000,
): ObservedCall {
  const [attempt] = madeResult(turns, { record }).attempts
  if (attempt === undefined) throw new Error('no attempt')
  return { ...attempt.call, startedAt: 0, endedAt: lengthMs }
}

function expecting(expected: Bare): TestTurn {
  return { location, caller: callerDoing('Hello?'), expect: [{ ...expected, location }] }
}

/** The second and last turn of a call. */
function ofTurn(expected: Bare, turn: Partial<ObservedTurn>, record?: Partial<ObservedCall['record']>) {
  const observed = { ...madeTurn('Hello?', ''), ...turn }
  return checkTurn(expecting(expected), 1, callOf([madeTurn(undefined, 'Hi'), observed], record))
}

const codes = (failures: readonly Failure[]) => failures.map(({ code }) => code)

function said(whole: string, from = 0, until = from + 1000, heard = whole): SpokenMessage {
  return { text: whole, heard, from, until, fallback: false }
}

function called(name: string, given: unknown = {}): ObservedTool {
  return { id: name, name, arguments: given, content: '{}', from: 0, until: 1 }
}

describe('text of messages', () => {
  const two = { messages: [said('We are open on'), said('Monday, at nine.', 2000, 3000, 'Monday,')] }

  test.each<[Bare, string[]]>([
    [{ kind: 'says', text: text('on monday') }, []],
    [{ kind: 'says', text: text('Tuesday') }, ['not-said']],
    [{ kind: 'heard', text: text('Monday') }, []],
    [{ kind: 'heard', text: text('nine') }, ['not-heard']],
    [{ kind: 'heard', text: text('open on Monday,') }, []],
    [{ kind: 'judge', sentence: 'It is polite' }, []],
    [{ kind: 'goal', reached: true }, []],
    [{ kind: 'not', text: text('price') }, []],
    [{ kind: 'not', text: nine }, ['said-unwanted']],
    [{ kind: 'exactly', text: 'We are open on Monday, at nine.' }, []],
    [{ kind: 'exactly', text: 'We are  open on' }, []],
    [{ kind: 'exactly', text: 'Monday' }, ['not-exactly']],
    [{ kind: 'exactly', text: 'we are open on Monday, at nine.' }, ['not-exactly']],
    [{ kind: 'words', comparison: { operator: '<=', amount: 7 } }, []],
    [{ kind: 'words', comparison: { operator: '<', amount: 7 } }, ['wrong-number']],
    [{ kind: 'interruptions', comparison: { operator: '=', amount: 1 } }, []],
    [{ kind: 'interruptions', comparison: { operator: '=', amount: 0 } }, ['wrong-number']],
  ])('%j: %j', (expected, failed) => {
    expect(codes(ofTurn(expected, two))).toEqual(failed)
  })

  test('missing white space is not an interruption', () => {
    const heard = [said('Yes ', 0, 1, 'Yes'), said('No', 2, 3, ' No')]
    const none: Bare = { kind: 'interruptions', comparison: { operator: '=', amount: 0 } }
    expect(ofTurn(none, { messages: heard })).toEqual([])
  })

  test('a message cut off by the end of the call is not an interruption', () => {
    const cut = [said('Goodbye and thank you', 59_000, 60_000, 'Goodbye')]
    expect(
      ofTurn({ kind: 'interruptions', comparison: { operator: '=', amount: 0 } }, { messages: cut }),
    ).toEqual([])
  })

  test('a failure contains the messages, the location and the turn', () => {
    expect(ofTurn({ kind: 'says', text: text('Tuesday') }, two)).toEqual([
      {
        code: 'not-said',
        details: { text: { kind: 'contains', text: 'Tuesday' }, messages: two.messages },
        location,
        turn: 1,
      },
    ])
    const comparison = { operator: '<', amount: 7 } as const
    expect([
      ...ofTurn({ kind: 'exactly', text: 'Monday' }, two),
      ...ofTurn({ kind: 'words', comparison }, two),
    ]).toMatchObject([
      { code: 'not-exactly', details: { text: 'Monday', messages: two.messages } },
      { code: 'wrong-number', details: { of: 'words', comparison, actual: 7 } },
    ])
  })

  test('a phrase matches while it is in the text', () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/)
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 9 }), words => {
        const [first = '', ...rest] = words
        fc.pre(!rest.join(' ').includes(first))
        const expected: Bare = { kind: 'says', text: text(first) }
        expect(codes(ofTurn(expected, { messages: words.map(each => said(each)) }))).toEqual([])
        expect(codes(ofTurn(expected, { messages: rest.map(each => said(each)) }))).toEqual(['not-said'])
        expect(codes(ofTurn({ ...expected, kind: 'not' }, { messages: [said(words.join(' '))] }))).toEqual([
          'said-unwanted',
        ])
      }),
    )
  })
})

describe('which tools are called', () => {
  const tools = [
    called('book', { day: '2026-01-02', count: 1 }),
    called('end_call'),
    called('book', { day: '2026-01-03', count: 0 }),
  ]

  test.each<[Bare, string[]]>([
    [{ kind: 'calls', tool: 'book', arguments: onFriday }, []],
    [{ kind: 'calls', tool: 'book', arguments: twoOrMore }, ['wrong-arguments']],
    [{ kind: 'calls', tool: 'cancel', arguments: any }, ['not-called']],
    [{ kind: 'never-calls', tool: 'cancel' }, []],
    [{ kind: 'never-calls', tool: 'book' }, ['called-unwanted']],
    [{ kind: 'calls-in-order', calls: ordered('book', 'book') }, []],
    [{ kind: 'calls-in-order', calls: ordered('book', 'end_call', 'book') }, []],
    [{ kind: 'calls-in-order', calls: ordered('book', 'book', 'end_call') }, ['wrong-order']],
    [{ kind: 'calls-in-order', calls: ordered('book') }, ['wrong-order']],
    [{ kind: 'calls-in-order', calls: ordered('book', 'book', 'book') }, ['wrong-order']],
    [{ kind: 'calls-in-order', calls: [] }, ['wrong-order']],
  ])('%j: %j', (expected, failed) => {
    expect(codes(ofTurn(expected, { tools }))).toEqual(failed)
  })

  test('predefined tools are allowed where no calls are expected', () => {
    expect(ofTurn({ kind: 'calls-in-order', calls: [] }, { tools: [called('end_call')] })).toEqual([])
  })

  test('reports the most similar call with the path of its first difference', () => {
    const near = called('book', { day: '2026-01-02', who: { name: 'Bob' } })
    const expected: Bare = {
      kind: 'calls',
      tool: 'book',
      arguments: ofAda,
    }
    expect(ofTurn(expected, { tools: [near, called('book', { day: 'Monday' })] })).toMatchObject([
      { code: 'wrong-arguments', details: { differs: ['who', 'name'], actual: 'Bob' } },
    ])
  })

  test('a failure contains the expectation and all calls', () => {
    expect(ofTurn({ kind: 'never-calls', tool: 'book' }, { tools })).toMatchObject([
      { details: { tool: 'book', called: tools } },
    ])
    expect(ofTurn({ kind: 'calls', tool: 'cancel', arguments: any }, { tools })).toMatchObject([
      { details: { tool: 'cancel', arguments: any, called: tools } },
    ])
    expect(ofTurn({ kind: 'calls-in-order', calls: ordered('book') }, { tools })).toMatchObject([
      { details: { calls: ordered('book'), called: [tools[0], tools[2]] } },
    ])
  })

  test('ordered calls have their own arguments', async () => {
    const [first, , last] = tools
    const calls = [onFriday, any].map(expected => ({ tool: 'book', arguments: expected }))
    const swapped = [last, first].flatMap(tool => tool ?? [])
    expect(codes(ofTurn({ kind: 'calls-in-order', calls }, { tools: swapped }))).toEqual(['wrong-arguments'])
  })

  test('compares the arguments of each ordered call', async () => {
    const onMonday = await readValueMatcher({ day: '2026-01-09' })
    const calls = [onFriday, onMonday].map(expected => ({ tool: 'book', arguments: expected }))
    expect(ofTurn({ kind: 'calls-in-order', calls }, { tools })).toMatchObject([
      { code: 'wrong-arguments', details: { differs: ['day'], actual: '2026-01-03' } },
    ])
  })

  function ordered(...names: readonly string[]) {
    return names.map(tool => ({ tool, arguments: any }))
  }
})

describe('times', () => {
  const caller = { ...callerDoing('Hello?'), from: 1000, until: 2000 }
  const welcome = { ...madeTurn(undefined, ''), messages: [said('Hi', 500, 900)] }
  const timed = (expected: Bare, saidThen: readonly SpokenMessage[], line = 'Hello?') => {
    const observed = {
      ...madeTurn('Hello?', ''),
      caller: { ...caller, ...callerDoing(line) },
      messages: saidThen,
    }
    return checkTurn(expecting(expected), 1, callOf([welcome, observed], {}, 30_000))
  }
  const exactly = (kind: 'silence' | 'duration', amount: number): Bare => ({
    kind,
    comparison: { operator: '=', amount },
  })

  test.each<[string, readonly SpokenMessage[], number | undefined]>([
    ['after the caller', [said('Yes', 3500)], 1500],
    ['as the caller stops, and again', [said('Yes', 2000), said('And', 2500)], 0],
    ['in the middle of the line, and after it', [said('Hm', 1500, 1600), said('Yes', 2200)], 200],
    ['in the middle of the line alone', [said('Hm', 1500, 1600)], 0],
    ['not at all', [], undefined],
  ])('the assistant speaks %s', (_name, saidThen, delay) => {
    const found = timed({ kind: 'within', milliseconds: -1 }, saidThen)
    expect(found).toMatchObject([{ code: 'too-late', details: { actual: delay } }])
    if (delay !== undefined) expect(timed({ kind: 'within', milliseconds: delay }, saidThen)).toEqual([])
  })

  const tool = (from: number, until: number | undefined, more: Partial<ObservedTool> = {}) => ({
    ...called('book'),
    ...{ from, until, ...more },
  })
  const filler = said('One moment', 2400, 4000)

  test.each<[string, readonly SpokenMessage[], readonly ObservedTool[], number | undefined]>([
    ['the reply, without a tool', [said('Yes', 3500)], [], 1500],
    ['what follows its response', [filler, said('Booked', 8000)], [tool(2400, 7900)], 6000],
    ['the words before it, if nothing follows', [said('Bye', 2500)], [tool(2600, 9000)], 500],
    ['not what is said until it responds', [filler], [tool(2400, 9000)], undefined],
    ['not what is said if it never responds', [filler], [tool(2400, undefined)], undefined],
    ['what follows its acceptance', [said('Sent', 2400)], [tool(2400, 9000, { acceptedAt: 2400 })], 400],
  ])('an answer to a caller whom a tool helps is %s', (_name, messages, tools, delay) => {
    const observed = {
      ...madeTurn('Hello?', ''),
      caller: { ...caller, ...callerDoing('Hello?') },
      messages,
      tools,
    }
    const answered = (milliseconds: number) =>
      checkTurn(expecting({ kind: 'answers', milliseconds }), 1, callOf([welcome, observed], {}, 30_000))
    expect(answered(-1)).toMatchObject([{ code: 'too-late', details: { of: 'answers', actual: delay } }])
    if (delay !== undefined) expect(answered(delay)).toEqual([])
  })

  test('finds the longest silence before or between replies', () => {
    const answers = [said('Yes', 3500, 4000), said('And no', 9000, 9500)]
    expect(timed(exactly('silence', 5000), answers)).toEqual([])
    expect(timed(exactly('silence', 1500), answers.slice(0, 1))).toEqual([])
    expect(timed(exactly('silence', 28_000), [])).toEqual([])
    expect(timed(exactly('silence', 9000), [said('There?', 10_000)], '/say-nothing 20')).toEqual([])
  })

  test('rejects a different silence or duration', () => {
    expect(timed(exactly('silence', 1), [])).toMatchObject([
      { code: 'wrong-number', details: { of: 'silence', actual: 28_000 } },
    ])
    expect(timed(exactly('duration', 1), [])).toMatchObject([
      { code: 'wrong-number', details: { of: 'duration', actual: 29_000 } },
    ])
  })

  test('the silence of a simulated caller counts from its start', () => {
    const listens = {
      ...madeTurn('/say-nothing 3', ''),
      caller: { ...caller, ...callerDoing('/say-nothing 3') },
    }
    const call = callOf([{ ...madeTurn(undefined, ''), messages: [said('Hi', 0, 900)] }, listens], {}, 4000)
    expect(checkCall([{ ...exactly('silence', 3000), location }], call)).toEqual([])
  })

  test('a turn lasts until the next, the last one until the end', () => {
    expect(timed(exactly('duration', 29_000), [])).toEqual([])
  })

  test('a whole call has its slowest reply, longest silence and total duration', () => {
    const call = callOf(
      [
        { ...madeTurn(undefined, ''), messages: [said('Hi', 500, 900)] },
        { ...madeTurn('Hello?', ''), caller, messages: [said('Yes', 3500, 4000)] },
        { ...madeTurn('Bye', ''), caller: { ...callerDoing('Bye'), from: 5000, until: 6000 } },
      ],
      {},
      6000,
    )
    const whole = (expected: Bare) => checkCall([{ ...expected, location }], call)
    expect(whole({ kind: 'within', milliseconds: 1500 })).toEqual([])
    expect(whole({ kind: 'within', milliseconds: 1499 })).toMatchObject([{ details: { actual: 1500 } }])
    expect(whole(exactly('silence', 1500))).toEqual([])
    expect(whole(exactly('duration', 6000))).toEqual([])
    expect(whole({ kind: 'says', text: text('hi yes') })).toEqual([])
    expect(whole({ kind: 'not', text: text('hi yes') })).toMatchObject([{ turn: undefined }])
  })
})

describe('how a call ends', () => {
  const ends = (by: 'assistant' | 'user' | 'system' | 'forward'): Bare => ({ kind: 'ends', by })

  test.each([
    ['assistant', { callEndTriggerBy: 'assistant' }],
    ['user', { callEndTriggerBy: 'user' }],
    ['system', { callEndTriggerBy: 'system' }],
    ['forward', { callEndTriggerBy: 'assistant', status: 'forwarded' }],
  ] as const)('by %s', (by, record) => {
    expect(ofTurn(ends(by), {}, record)).toEqual([])
    const other = by === 'user' ? 'system' : 'user'
    expect(ofTurn(ends(other), {}, record)).toMatchObject([{ code: 'wrong-end', details: { actual: by } }])
  })

  test('does not end in an earlier turn', () => {
    const [first, second] = [madeTurn(undefined, 'Hi'), madeTurn('Hello?', '')]
    const call = callOf([first, second], { callEndTriggerBy: 'user' })
    expect(checkTurn(expecting(ends('user')), 0, call)).toMatchObject([
      { code: 'wrong-end', details: { actual: undefined } },
    ])
  })

  test('reports only the first unreached turn', () => {
    const call = callOf([madeTurn(undefined, 'Hi')], { callEndTriggerBy: 'assistant' })
    const turn = expecting({ kind: 'says', text: text('x') })
    const twice = { ...turn, expect: [...turn.expect, ...turn.expect] }
    expect(checkTurn(twice, 1, call)).toEqual([
      { code: 'not-reached', details: { endedBy: 'assistant' }, location, turn: 1 },
    ])
    expect(checkTurn(twice, 2, call)).toEqual([])
    expect(codes(checkTurn({ ...turn, expect: [] }, 1, call))).toEqual(['not-reached'])
  })
})

describe('the source of a reply', () => {
  const searched = (used: boolean, ...questions: readonly string[]): KnowledgeSearch => ({
    question: 'open?',
    hits: questions.map((question, index) => ({
      entry: { id: question, question, answer: 'a' },
      score: 9 - index,
      isExact: false,
      share: 1,
    })),
    used,
  })
  const knows = (question: string): Bare => ({ kind: 'knows', question })

  test('uses the best entry', () => {
    const searches = [searched(true, 'When are you open?', 'Where are you?')]
    expect(ofTurn(knows('WHEN are  you open?'), { searches })).toEqual([])
    expect(ofTurn(knows('Where are you?'), { searches })).toMatchObject([
      { code: 'not-known', details: { question: 'Where are you?', used: ['When are you open?'] } },
    ])
  })

  test('gives a searching model all entries found', () => {
    const searches = [searched(true, 'When are you open?', 'Where are you?')]
    const tools = [called('search_knowledge_base', { query: 'open?' })]
    expect(ofTurn(knows('Where are you?'), { searches, tools })).toEqual([])
  })

  test('ignores a tool call with other arguments', () => {
    const searches = [searched(true, 'When are you open?', 'Where are you?')]
    const tools = [called('look_up', { query: 'price?' }), called('note', 'open?')]
    expect(codes(ofTurn(knows('Where are you?'), { searches, tools }))).toEqual(['not-known'])
  })

  test('ignores an unused entry', () => {
    expect(ofTurn(knows('Where are you?'), { searches: [searched(false, 'Where are you?')] })).toMatchObject([
      { details: { used: [] } },
    ])
  })
})

test.each<[unknown, unknown, readonly (string | number)[] | undefined]>([
  [{ successEvaluation: '>= 7' }, { successEvaluation: '8' }, undefined],
  [{ successEvaluation: '>= 7' }, { successEvaluation: '6' }, ['successEvaluation']],
  [{ successEvaluation: true }, { successEvaluation: 'true' }, undefined],
  [{ structuredData: { day: '/^2026/' } }, { structuredData: { day: '2026-01-02' } }, undefined],
  [{ structuredData: { day: 'any' } }, { structuredData: {} }, ['structuredData', 'day']],
  [{ summary: 'any' }, undefined, ['summary']],
])('the analysis is to be as %j and is %j', async (expected, analysis, differs) => {
  const record = analysis === undefined ? {} : { analysis: analysis as Record<string, unknown> }
  const found = ofTurn({ kind: 'analysis', matcher: await readValueMatcher(expected) }, {}, record)
  expect(found).toMatchObject(differs === undefined ? [] : [{ code: 'wrong-analysis', details: { differs } }])
})
