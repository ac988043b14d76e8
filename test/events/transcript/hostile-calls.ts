import fc from 'fast-check'
import type { CallTranscript } from '../../../src/events/conversation/index.ts'
import { codePoint } from '../../helpers/code-point.ts'

/** Characters with a meaning in terminals, HTML or Markdown. */
export const hostileTexts = [
  '\u001b[31mred\u001b[0m',
  '\u001b]0;title\u0007',
  '\u009b2J\u0000\u007f',
  '\u202egnp.exe\u2066\u200f',
  'a\rb\u0008c\u000b\u000c\u0085\u2028',
  '\ud800 lone',
  '</p></li></ol></main></style><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '<!-- -->',
  ']]><![CDATA[',
  '&lt;b&gt; &amp;amp; &#x3c;',
  '# heading\n## more',
  '- item\n+ item\n* item\n1. one\n2) two',
  '    code\n\tcode',
  '```js\nalert(1)\n```\n~~~',
  '> quote\n\n---\n===\n***',
  '[link](javascript:alert(1)) ![image](x) [ref]: http://evil.example.test',
  '<http://evil.example.test> http://evil.example.test www.evil.example.test a@evil.example.test',
  '| a | b |\n| - | - |',
  '**bold** __bold__ *it* _it_ ~~gone~~ `code`',
  '\\*not escaped\\\\',
  '\\',
  ' \n \n\t',
  '$x$ :smile: @name #1 ^[note]',
  '\n\nbegins and ends\n\n',
  'line\r\nline',
  '::error::workflow command',
  '$& $1 $` {{x}} ${y}',
  '',
]

export const hostileText = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: codePoint }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom(...hostileTexts, 'a', ' ', '\n', '<', '&', '\\', '*', '`'), { maxLength: 4 })
    .map(parts => parts.join('')),
)

const hostileOrNull = fc.option(hostileText)
const time = fc.oneof(fc.constantFrom('2026-03-01T10:00:00.000Z', '2026-03-01T12:00:00+02:00'), hostileText)

/** A call with hostile text in every field that is text. */
export const hostileCall: fc.Arbitrary<CallTranscript> = fc.record({
  callId: hostileOrNull,
  conversation: fc.option(fc.nat()),
  direction: hostileOrNull,
  callType: hostileOrNull,
  userNumber: hostileOrNull,
  assistantNumber: hostileOrNull,
  teamId: hostileOrNull,
  assistantId: hostileOrNull,
  assistantName: hostileOrNull,
  customerName: hostileOrNull,
  startAt: fc.option(time),
  endAt: fc.option(time),
  callEndTriggerBy: hostileOrNull,
  firstAt: time,
  lastAt: time,
  ended: fc.boolean(),
  statuses: fc.array(fc.record({ status: hostileText, phoneCallStatus: hostileOrNull, at: time }), {
    maxLength: 3,
  }),
  messages: fc.array(
    fc.record({
      messageId: hostileOrNull,
      role: fc.oneof(fc.constantFrom('user', 'assistant'), hostileText),
      text: hostileText,
      timestamp: fc.option(time),
      edited: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  analysis: fc.option(
    fc.dictionary(
      hostileText,
      fc.oneof(hostileText, fc.jsonValue(), fc.dictionary(hostileText, hostileText)),
      { maxKeys: 3 },
    ),
  ),
  otherEvents: fc.dictionary(hostileText, fc.nat(), { maxKeys: 2 }),
  malformedItems: fc.nat({ max: 2 }),
  unread: fc.array(
    fc.record({
      at: time,
      type: hostileOrNull,
      path: hostileOrNull,
      odd: fc.array(hostileText, { maxLength: 2 }),
      value: fc.jsonValue(),
    }),
    { maxLength: 2 },
  ),
})

/** Neither control nor bidi characters, nor halves of a pair. */
export const harmless =
  /^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/
