import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failureWords, spanText } from '../../../../src/cli/shell/render/failure-words.ts'
import type {
  Failure,
  FailureCode,
  FailureDetails,
  ObservedTool,
  SpokenMessage,
} from '../../../../src/scenario/index.ts'
import { codePoint } from '../../../helpers/code-point.ts'
import { runs } from '../../../helpers/every-case.ts'

const place = { file: 'tests/a.test.yaml', path: [], position: undefined }
const said: SpokenMessage[] = [
  { text: 'We are open Monday to Friday.', heard: 'We are open', from: 0, until: 1, fallback: false },
]
const booked: ObservedTool = {
  id: '1',
  name: 'book',
  arguments: { day: '2026-01-03' },
  content: '{"ok":true}',
  from: 0,
  until: 1,
}
const called = [booked]
const friday = { kind: 'object', fields: { day: { kind: 'equals', value: '2026-01-02' } } } as const
const anything = { kind: 'any' } as const
const nine = { kind: 'contains', text: 'nine to six' } as const

const samples: { readonly [Code in FailureCode]: readonly [FailureDetails[Code], string][] } = {
  'not-said': [
    [{ text: nine, messages: said }, 'the assistant did not say "nine to six"'],
    [
      { text: { kind: 'pattern', pattern: '^we', flags: 'i', test: () => false }, messages: [] },
      'the assistant did not say /^we/i',
    ],
  ],
  'not-heard': [[{ text: nine, messages: said }, 'the caller did not hear "nine to six"']],
  'said-unwanted': [
    [{ text: { kind: 'contains', text: 'open' }, messages: said }, 'the assistant said "open"'],
  ],
  'not-exactly': [[{ text: 'Hello', messages: said }, 'the assistant did not say exactly "Hello"']],
  'not-called': [[{ tool: 'book', arguments: friday, called: [] }, 'book was not called']],
  'wrong-arguments': [
    [
      { tool: 'book', arguments: friday, differs: ['day'], actual: '2026-01-03', called },
      'book was called with day "2026-01-03"; expected: "2026-01-02"',
    ],
    [
      { tool: 'book', arguments: friday, differs: ['day'], actual: undefined, called },
      'book was called without day; expected: "2026-01-02"',
    ],
    [
      { tool: 'book', arguments: friday, differs: [], actual: 'Friday', called },
      'book was called with "Friday"; expected: { day: "2026-01-02" }',
    ],
  ],
  'called-unwanted': [[{ tool: 'book', called }, 'book was called']],
  'wrong-order': [
    [{ calls: [], called }, '1 tool call; expected: none'],
    [
      { calls: [{ tool: 'find', arguments: anything }], called },
      'the tools were called in another order: book; expected: find',
    ],
    [
      { calls: [{ tool: 'find', arguments: anything }], called: [] },
      'the tools were called in another order: none; expected: find',
    ],
  ],
  'too-late': [
    [
      { of: 'within', milliseconds: 2000, actual: 3250 },
      'the assistant replied after 3.25s; expected: within 2s',
    ],
    [
      { of: 'within', milliseconds: 2000, actual: undefined },
      'the assistant said nothing; expected: within 2s',
    ],
    [
      { of: 'answers', milliseconds: 2000, actual: 6000 },
      'the assistant answered after 6s; expected: within 2s',
    ],
    [
      { of: 'answers', milliseconds: 2000, actual: undefined },
      'the assistant gave no answer; expected: within 2s',
    ],
  ],
  'wrong-number': [
    [
      { of: 'words', comparison: { operator: '<=', amount: 40 }, actual: 1 },
      'the assistant said 1 word; expected: at most 40 words',
    ],
    [
      { of: 'duration', comparison: { operator: '<', amount: 120_000 }, actual: 125_000 },
      'the call lasted 2m 5s; expected: less than 2m',
    ],
    [
      { of: 'silence', comparison: { operator: '>=', amount: 500 }, actual: 0 },
      'the silence lasted 0s; expected: at least 0.5s',
    ],
    [
      { of: 'interruptions', comparison: { operator: '=', amount: 1 }, actual: 2 },
      'the call had 2 interruptions; expected: exactly 1 interruption',
    ],
  ],
  'wrong-end': [
    [{ by: 'assistant', actual: 'user' }, 'the call was ended by the user; expected: by the assistant'],
    [{ by: 'forward', actual: undefined }, 'the call did not end here; expected: ended by being forwarded'],
  ],
  'not-known': [
    [{ question: 'When?', used: [] }, 'no FAQ entry was used; expected: "When?"'],
    [{ question: 'When?', used: ['Where?'] }, 'another FAQ entry was used: "Where?"; expected: "When?"'],
  ],
  'wrong-analysis': [
    [
      {
        matcher: { kind: 'object', fields: { score: { kind: 'compared', operator: '>=', amount: 7 } } },
        differs: ['score'],
        actual: 3,
      },
      'analysis.score is 3; expected: >= 7',
    ],
    [
      { matcher: friday, differs: ['day'], actual: undefined },
      'analysis.day is missing; expected: "2026-01-02"',
    ],
  ],
  'judged-no': [
    [
      { sentence: 'repeats the day', reason: 'it names no day' },
      'the judge rejected "repeats the day": it names no day',
    ],
  ],
  'wrong-goal': [[{ reached: true, reason: 'no time' }, "the caller's goal was not reached: no time"]],
  'not-reached': [
    [{ endedBy: 'assistant' }, 'the call was over before this line: it was ended by the assistant'],
    [{ endedBy: undefined }, 'the call was over before this line'],
  ],
  'not-recorded': [
    [
      {
        role: 'assistant',
        difference: [{ part: 'prompt', lines: ['- a', '+ b'] }],
        missing: 2,
        turns: 5,
        cassette: 'tests/a.cassette.ndjson',
      },
      'the prompt of this turn changed; 2 of 5 turns have no recorded response',
    ],
    [
      { role: 'judge', difference: [], missing: 1, turns: 1, cassette: 'tests/a.cassette.ndjson' },
      'no response of the judge is recorded',
    ],
  ],
  'call-failed': [
    [
      { reason: 'the file of the assistant names no tool', hint: undefined },
      'the call of the test failed: the file of the assistant names no tool',
    ],
  ],
  'model-failed': [[{ reason: 'it answered 500' }, 'the model failed: it answered 500']],
}

function failure<Code extends FailureCode>(code: Code, details: FailureDetails[Code]): Failure {
  return { code, details, place, turn: 1 } as unknown as Failure
}

test.each(
  Object.entries(samples).flatMap(([code, list]) =>
    list.map(([details, message]) => [code as FailureCode, details, message] as const),
  ),
)('describes %s', (code, details, message) => {
  const words = failureWords(failure(code, details))
  expect(words.message).toBe(message)
  expect(words.expected).not.toBe('')
  expect(words.actual).not.toBe('')
})

test('keeps a message short for any model reply, with the complete reply next to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, minLength: 1000, maxLength: 5000 }), long => {
      const words = [
        failureWords(
          failure('not-exactly', { text: long, messages: [{ ...said[0], text: long } as SpokenMessage] }),
        ),
        failureWords(failure('judged-no', { sentence: long, reason: long })),
        failureWords(failure('not-known', { question: long, used: [long, long] })),
        failureWords(
          failure('wrong-arguments', {
            tool: 'book',
            arguments: friday,
            differs: ['day'],
            actual: { long },
            called: [{ ...booked, arguments: { long } }],
          }),
        ),
      ]
      for (const { message, actual } of words) {
        expect(message.length).toBeLessThan(500)
        expect(actual.length).toBeGreaterThanOrEqual(long.length)
      }
    }),
    { numRuns: runs(20) },
  )
})

test.each([
  [0, '0s'],
  [999, '0.999s'],
  [119_999, '119.999s'],
  [120_000, '2m'],
  [125_400, '2m 5s'],
  [179_900, '3m'],
])('%i milliseconds are %s', (milliseconds, words) => {
  expect(spanText(milliseconds)).toBe(words)
})
