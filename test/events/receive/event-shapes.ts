import { oddShapeNames } from '../../../src/events/trigger/index.ts'
import { triggeredOddEvents } from '../../helpers/triggered-events.ts'

/** The events of one call, or of calls that name no id, in a form in which a deployment sends them. */
export interface EventShape {
  readonly name: string
  /** Bodies, byte for byte. */
  readonly bodies: readonly string[]
  /** Messages by call. */
  readonly said: readonly (readonly string[])[]
  /** Other expected output: statuses, results, oddities, unreadable text. */
  readonly seen: readonly string[]
  /** True if the events report the end of the call. */
  readonly ends: boolean
}

const time = '2026-03-01T10:00:00.000Z'
const at = Date.parse(time)

type Fields = Readonly<Record<string, unknown>>

/** A conversation of one message, whose fields are changed. */
function update(
  name: string,
  message: Fields = {},
  { item = {}, call = {} }: { item?: Fields; call?: Fields } = {},
) {
  const userMessage = { messageId: 'm1', role: 'user', text: `said in ${name}`, timestamp: time, ...item }
  return {
    message: {
      type: 'conversation-update',
      call: { id: `CC-${name}`, ...call },
      messages: [userMessage],
      ...message,
    },
  }
}

function status(name: string, call: Fields, message: Fields = {}) {
  return { message: { type: 'status-update', call: { id: `CC-${name}`, ...call }, ...message } }
}

function shape(
  name: string,
  events: readonly unknown[],
  {
    said = [[`said in ${name}`]],
    seen = [],
    ends = false,
  }: Partial<Omit<EventShape, 'name' | 'bodies'>> = {},
): EventShape {
  const bodies = events.map(event => (typeof event === 'string' ? event : JSON.stringify(event)))
  return { name, bodies, said, seen, ends }
}

const silent: readonly (readonly string[])[] = []

const ids = [
  shape(
    'numeric call id',
    [
      {
        message: {
          type: 'conversation-update',
          call: { id: 70 },
          messages: [{ messageId: 'm1', role: 'user', text: 'said in numeric call id' }],
        },
      },
    ],
    { seen: ['70'] },
  ),
  shape(
    'huge call id',
    [
      '{"message":{"type":"conversation-update","call":{"id":12345678901234567890},"messages":[{"messageId":"m1","role":"user","text":"said in huge call id"}]}}',
    ],
    { seen: ['12345678901234567890'] },
  ),
  shape(
    'call id with an exponent',
    ['{"message":{"type":"status-update","call":{"id":1e21,"status":"ongoing"}}}'],
    { said: silent, seen: ['1e21', 'ongoing'] },
  ),
  shape('numeric messageId', [update('numeric messageId', {}, { item: { messageId: 7 } })]),
  shape(
    'two huge messageIds',
    [
      '{"message":{"type":"conversation-update","call":{"id":"CC-huge"},"messages":[{"messageId":1234567890123456781,"role":"user","text":"one of two"},{"messageId":1234567890123456782,"role":"user","text":"two of two"}]}}',
    ],
    { said: [['one of two', 'two of two']] },
  ),
  shape('messageId null', [update('messageId null', {}, { item: { messageId: null } })]),
  shape('messageId an object', [update('messageId an object', {}, { item: { messageId: { $oid: 'x' } } })]),
  shape('messageId empty', [update('messageId empty', {}, { item: { messageId: '' } })]),
  shape(
    'duplicate ids in one update',
    [
      update('duplicate', {
        messages: [
          { messageId: 'm1', role: 'user', text: 'first of duplicate' },
          { messageId: 'm1', role: 'user', text: 'last of duplicate' },
        ],
      }),
    ],
    { said: [['last of duplicate']] },
  ),
  shape('no ids at all', [
    { message: { type: 'conversation-update', messages: [{ role: 'user', text: 'said in no ids at all' }] } },
  ]),
]

const calls = [
  shape('call missing', [
    {
      message: {
        type: 'conversation-update',
        messages: [{ messageId: 'user-1', role: 'user', text: 'said in call missing' }],
      },
    },
  ]),
  shape('call null', [update('call null', { call: null })]),
  shape('call a text', [update('call a text', { call: 'CC-text' })], { seen: ['CC-text'] }),
  shape('call a number', [update('call a number', { call: 71 })], { seen: ['71'] }),
  shape('call a list', [update('call a list', { call: ['CC-1'] })], { seen: ['call is a list'] }),
  shape('call true', [update('call true', { call: true })], { seen: ['call is true'] }),
  shape('call without id', [{ message: { type: 'status-update', call: { status: 'ongoing' } } }], {
    said: silent,
    seen: ['ongoing'],
  }),
  shape('call.id an object', [update('call.id an object', { call: { id: { a: 1 } } })], {
    seen: ['call.id is an object'],
  }),
  shape('call.status a number', [status('status-number', { status: 3 })], { said: silent, seen: ['3'] }),
  shape('call.status an object', [status('status-object', { status: { name: 'ongoing' } })], {
    said: silent,
    seen: ['call.status is an object', '{"name":"ongoing"}'],
  }),
  shape(
    'two calls that name none',
    [
      ...['How much is a tyre?', 'When are you open?'].flatMap(text => {
        const all = [
          { messageId: 'assistant-1', role: 'assistant', text: 'Hello.' },
          { messageId: 'user-1', role: 'user', text },
        ]
        return [1, 2].map(count => ({
          message: { type: 'conversation-update', messages: all.slice(0, count) },
        }))
      }),
    ],
    {
      said: [
        ['Hello.', 'How much is a tyre?'],
        ['Hello.', 'When are you open?'],
      ],
    },
  ),
]

const parts = [
  shape('analysis a text', [status('analysis-text', { status: 'finished' }, { analysis: 'good' })], {
    said: silent,
    seen: ['finished', 'good'],
    ends: true,
  }),
  shape('analysis a list', [status('analysis-list', { status: 'finished' }, { analysis: ['fine', 10] })], {
    said: silent,
    seen: ['fine'],
    ends: true,
  }),
  shape(
    'analysis inside the call',
    [status('analysis-call', { status: 'finished', analysis: { summary: 'inside' } }, { analysis: {} })],
    { said: silent, seen: ['inside'], ends: true },
  ),
  shape(
    'analysis of other types',
    [
      status(
        'analysis-types',
        { status: 'finished' },
        { analysis: { summary: 7, successEvaluation: true, structuredData: [1] } },
      ),
    ],
    { said: silent, seen: ['7', 'true'], ends: true },
  ),
  shape(
    'analysis of a conversation-update',
    [update('analysis of a conversation-update', { analysis: { summary: 'early' } })],
    { seen: ['early'] },
  ),
  shape('assistant an id', [update('assistant an id', { assistant: 'a1' })]),
  shape('assistant a list', [update('assistant a list', { assistant: [] })], {
    seen: ['assistant is a list'],
  }),
  shape('customer a number', [update('customer a number', { customer: 12025550123 })]),
  shape('customer.number a number', [
    update('customer.number a number', { customer: { number: 12025550123, name: 7 } }),
  ]),
  shape('customer.number an object', [update('customer.number an object', { customer: { number: {} } })], {
    seen: ['customer.number is an object'],
  }),
  shape(
    'numbers of the call as numbers',
    [status('numbers', { status: 'ongoing', userNumber: 12025550123, assistantNumber: 12025550100 })],
    { said: silent, seen: ['12025550123', '12025550100'] },
  ),
  shape(
    'everything null',
    [
      '{"message":{"type":"status-update","call":null,"assistant":null,"customer":null,"analysis":null,"messages":null}}',
    ],
    { said: silent, seen: ['call.status is missing'] },
  ),
]

const messages = [
  shape('messages one object', [
    update('messages one object', {
      messages: { messageId: 'm1', role: 'user', text: 'said in messages one object' },
    }),
  ]),
  shape('messages an object', [update('messages an object', { messages: { one: 'first words' } })], {
    said: silent,
    seen: ['messages is an object', 'first words'],
  }),
  shape('messages a text', [update('messages a text', { messages: 'user: hello there' })], {
    said: silent,
    seen: ['messages is text', 'hello there'],
  }),
  shape('messages a number', [update('messages a number', { messages: 3 })], {
    said: silent,
    seen: ['messages is a number'],
  }),
  shape('messages missing', [{ message: { type: 'conversation-update', call: { id: 'CC-none' } } }], {
    said: silent,
    seen: ['messages is missing'],
  }),
  shape(
    'messages nested',
    [update('messages nested', { messages: [[{ messageId: 'm1', role: 'user', text: 'in two lists' }]] })],
    { said: silent, seen: ['messages[0]', 'in two lists'] },
  ),
  shape(
    'messages of every type',
    [
      update('messages of every type', {
        messages: [
          42,
          null,
          'bare words',
          true,
          [],
          {},
          { messageId: 'm1', role: 'user', text: 'said in messages of every type' },
        ],
      }),
    ],
    { seen: ['messages[2]', 'bare words'] },
  ),
  shape(
    'text under content',
    [
      update('text under content', {
        messages: [{ messageId: 'm1', role: 'user', content: 'in the content' }],
      }),
    ],
    { said: silent, seen: ['messages[0]', 'in the content'] },
  ),
  shape(
    'text under message',
    [
      update('text under message', {
        messages: [{ messageId: 'm1', role: 'user', message: 'in the message' }],
      }),
    ],
    { said: silent, seen: ['in the message'] },
  ),
  shape('text a number', [update('text a number', {}, { item: { text: 4711 } })], { said: [['4711']] }),
  shape('text an object', [update('text an object', {}, { item: { text: { en: 'in English' } } })], {
    said: silent,
    seen: ['messages[0]', 'in English'],
  }),
  shape('text empty', [update('text empty', {}, { item: { text: '' } })], { said: [['']] }),
  ...['bot', 'tool', 'system', 'function'].map(role =>
    shape(`role ${role}`, [update(`role ${role}`, {}, { item: { role } })], { seen: [role] }),
  ),
  shape('role missing', [update('role missing', {}, { item: { role: undefined } })], { seen: ['unknown'] }),
  shape('role a number', [update('role a number', {}, { item: { role: 1 } })], { seen: ['1'] }),
  shape(
    'partial transcripts',
    ['I', 'I would', 'I would like a repair.'].map(text => update('partial', {}, { item: { text } })),
    { said: [['I would like a repair.']] },
  ),
  shape('a text of 200 KB', [update('a long text', {}, { item: { text: 'long '.repeat(40_000) } })], {
    said: [['long '.repeat(40_000)]],
  }),
  shape(
    'a thousand messages',
    [
      update('many', {
        messages: Array.from({ length: 1000 }, (_, index) => ({
          messageId: `m${index}`,
          role: 'user',
          text: `line ${index}`,
        })),
      }),
    ],
    { said: [Array.from({ length: 1000 }, (_, index) => `line ${index}`)] },
  ),
  shape(
    'control characters and lone surrogates',
    [
      '{"message":{"type":"conversation-update","call":{"id":"CC-controls"},"messages":[{"messageId":"m1","role":"user","text":"red \\u001b[31m \\ud83d and \\u202e end"}]}}',
    ],
    { said: [['red \u001b[31m \ufffd and \u202e end']] },
  ),
]

const times = [
  ...(
    [
      ['milliseconds', at],
      ['seconds', at / 1000],
      ['fractions of seconds', at / 1000 + 0.25],
      ['milliseconds as text', String(at)],
      ['seconds as text', String(at / 1000)],
    ] as const
  ).map(([name, value]) =>
    shape(
      `times in ${name}`,
      [
        update(`times in ${name}`, {}, { item: { timestamp: value } }),
        status(`times in ${name}`, { status: 'finished', startAt: value, endAt: value }),
      ],
      { seen: [name.startsWith('fractions') ? '2026-03-01T10:00:00.250Z' : time], ends: true },
    ),
  ),
  shape(
    'times from the start of the call',
    [update('times from the start of the call', {}, { item: { timestamp: 12.5 } })],
    { seen: ['12.5'] },
  ),
  shape('a time out of range', [update('a time out of range', {}, { item: { timestamp: 1e18 } })], {
    seen: ['1000000000000000000'],
  }),
]

const types = [
  shape(
    'unknown type',
    [{ message: { type: 'speech-update', call: { id: 'CC-speech' }, words: 'half a word' } }],
    { said: silent, seen: ['speech-update', 'half a word'] },
  ),
  shape('unknown type with messages', [update('unknown type with messages', { type: 'transcript' })], {}),
  shape('type missing', [update('type missing', { type: undefined })], { seen: ['type is missing'] }),
  shape('type a number', [update('type a number', { type: 7 })], { seen: ['type is a number'] }),
  shape('type in another case', [status('case', { status: 'ongoing' }, { type: 'Status_Update' })], {
    said: silent,
    seen: ['ongoing'],
  }),
  shape('message a list', [{ message: [{ type: 'status-update' }] }], {
    said: silent,
    seen: ['message is a list'],
  }),
  shape('message a text', [{ message: 'hello receiver' }], {
    said: silent,
    seen: ['message is text', 'hello receiver'],
  }),
  shape('message null', ['{"message":null}'], { said: silent, seen: ['message is null'] }),
  shape('no message', [{ event: 'ping', id: 4 }], { said: silent, seen: ['message is missing', 'ping'] }),
  shape('no envelope', [status('bare', { status: 'finished' }).message], {
    said: silent,
    seen: ['message is missing', 'finished'],
    ends: true,
  }),
  shape('empty object', ['{}'], { said: silent, seen: ['message is missing'] }),
  shape(
    'keys of objects',
    [
      '{"__proto__":{"message":1},"message":{"type":"status-update","__proto__":{"call":1},"constructor":"x","call":{"id":"CC-keys","status":"ongoing","__proto__":{"id":"other"}}}}',
    ],
    { said: silent, seen: ['CC-keys', 'ongoing'] },
  ),
  shape(
    'nested 5000 deep',
    [`{"message":{"type":"deep","call":{"id":"CC-deep"},"x":${'['.repeat(5000)}${']'.repeat(5000)}}}`],
    { said: silent, seen: ['nested too deeply'] },
  ),
]

const ends = [
  ...[
    'finished',
    'completed',
    'forwarded',
    'failed',
    'busy',
    'no-answer',
    'canceled',
    'cancelled',
    'Finished',
    'NO_ANSWER',
    'no answer',
    'Completed',
  ].map(word =>
    shape(`status ${word}`, [status(`status ${word}`, { status: word })], {
      said: silent,
      seen: [word],
      ends: true,
    }),
  ),
  shape('phoneCallStatus alone', [status('phone', { phoneCallStatus: 'busy' })], {
    said: silent,
    seen: ['finished', 'busy'],
    ends: true,
  }),
  shape('endAt alone', [status('endAt', { endAt: at })], {
    said: silent,
    seen: ['finished', time],
    ends: true,
  }),
  shape('endAt beside ongoing', [status('endAt-ongoing', { status: 'ongoing', endAt: time })], {
    said: silent,
    seen: ['ongoing', time],
    ends: true,
  }),
  shape(
    'endAt in a conversation-update',
    [update('endAt in a conversation-update', {}, { call: { status: 'ongoing', endAt: time } })],
    { ends: true },
  ),
  shape(
    'no endAt yet in the year 1',
    [status('year-1', { status: 'ongoing', endAt: '0001-01-01T00:00:00Z' })],
    { said: silent, seen: ['ongoing'] },
  ),
  shape('endAt without a zone', [status('no-zone', { endAt: '2026-03-01 10:00:00' })], {
    said: silent,
    seen: ['2026-03-01 10:00:00'],
    ends: true,
  }),
  shape('no endAt yet', [status('no-endAt', { status: 'ongoing', endAt: 0 })], {
    said: silent,
    seen: ['ongoing'],
  }),
  shape(
    'end-of-call-report',
    [
      {
        message: {
          type: 'end-of-call-report',
          call: { id: 'CC-report' },
          analysis: { summary: 'reported' },
          messages: [{ messageId: 'm1', role: 'user', text: 'said in end-of-call-report' }],
        },
      },
    ],
    { seen: ['finished', 'reported'], ends: true },
  ),
  shape(
    'end-of-call-report after the end, twice',
    [
      status('twice', { status: 'finished' }),
      ...[1, 2].map(() => ({
        message: { type: 'end-of-call-report', call: { id: 'CC-twice' }, analysis: { summary: 'reported' } },
      })),
    ],
    { said: silent, seen: ['finished', 'reported'], ends: true },
  ),
  shape(
    'end-of-call-report of no call',
    [{ message: { type: 'end-of-call-report', analysis: { summary: 'of no call' } } }],
    { said: silent, seen: ['of no call'], ends: true },
  ),
]

/** Shapes of `webhook trigger odd`, with their expected output. */
const odd = oddShapeNames.map(name => {
  const events = triggeredOddEvents('CC-odd').filter(({ shape }) => shape === name)
  return { name: `trigger odd: ${name}`, bodies: events.map(({ event }) => JSON.stringify(event)) }
})

export const eventShapes: readonly EventShape[] = [
  ...ids,
  ...calls,
  ...parts,
  ...messages,
  ...times,
  ...types,
  ...ends,
]
export const triggeredShapes: readonly Pick<EventShape, 'name' | 'bodies'>[] = odd

/** Ends the calls that do not say it themselves. */
export const plainEnd = JSON.stringify({
  message: { type: 'status-update', call: { id: 'CC-end', status: 'finished' } },
})
