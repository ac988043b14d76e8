import fc from 'fast-check'
import { codePoint } from '../../helpers/code-point.ts'
import { triggeredCall } from '../../helpers/triggered-events.ts'

/** A value of a parsed body. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Path of a text: keys and indexes from the body; with `key` it is the last key itself. */
export interface Place {
  readonly path: readonly (string | number)[]
  readonly key: boolean
}

/** A whole call as the service sends it, then what it may send besides: anything that a body can hold. */
export function sampleBodies(): Json[] {
  const call: Json[] = JSON.parse(JSON.stringify(triggeredCall()))
  const conversation = (messages: readonly Json[], id = 'CC-1'): Json => ({
    message: { type: 'conversation-update', call: { id }, messages },
  })
  const messages: Record<string, Json>[] = JSON.parse(JSON.stringify(triggeredCall()[3]?.message.messages))
  const bodies: Json[] = [
    conversation([...messages.slice(0, 1).map(message => ({ ...message, text: 'before the edit' }))]),
    ...call,
    conversation([
      ...messages,
      { text: 'neither id nor role' },
      'no message at all',
      { role: 'user', words: ['one', { two: 'three' }] },
      ['in', ['a', 'list']],
      null,
    ]),
    conversation([{ messageId: 'm1', role: 'system', text: 'of another call', timestamp: 'soon' }], 'CC-2'),
    {
      message: {
        type: 'speech-update',
        call: { id: 'CC-2' },
        details: { turn: { by: 'user' }, words: ['a'] },
      },
    },
    { message: { type: 'status-update', note: 'without a call' } },
    {
      message: {
        type: 'status-update',
        call: { id: 'CC-2', status: 'transferred', phoneCallStatus: 'busy', callEndTriggerBy: 'carrier' },
        analysis: { summary: 's', mood: 'good', data: 'd', nested: { deep: { er: ['x', { y: 'z' }] } } },
      },
    },
  ]
  return bodies
}

/** Every text in a body: values and keys, at any depth. */
export function placesIn(body: Json, path: readonly (string | number)[] = []): Place[] {
  if (typeof body === 'string') return [{ path, key: false }]
  if (body === null || typeof body !== 'object') return []
  if (isList(body)) return body.flatMap((item, index) => placesIn(item, [...path, index]))
  return Object.entries(body).flatMap(([key, value]) => [
    { path: [...path, key], key: true },
    ...placesIn(value, [...path, key]),
  ])
}

/** The body with another text at this place. */
export function replaceAt(body: Json, { path: [step, ...path], key }: Place, text: string): Json {
  if (step === undefined) return text
  if (body === null || typeof body !== 'object') return body
  if (isList(body))
    return body.map((item, index) => (index === step ? replaceAt(item, { path, key }, text) : item))
  // fromEntries defines, so that a key such as __proto__ is a plain field.
  return Object.fromEntries(
    Object.entries(body).map(([name, value]): [string, Json] => {
      if (name !== step) return [name, value]
      return key && path.length === 0 ? [text, value] : [name, replaceAt(value, { path, key }, text)]
    }),
  )
}

/** Every value that is text, and every key below one of these names, replaced. */
export function replaceAll(body: Json, next: () => string, inFreeForm = false): Json {
  if (typeof body === 'string') return next()
  if (body === null || typeof body !== 'object') return body
  if (isList(body)) return body.map(item => replaceAll(item, next, inFreeForm))
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      inFreeForm ? next() : name,
      replaceAll(value, next, inFreeForm || freeForm.includes(name)),
    ]),
  )
}

const freeForm = ['analysis', 'assistant', 'details', 'words']

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)]
  .map(code => String.fromCharCode(code))
  .join('')

/** Characters that control terminals, reorder or hide text, or break layouts. */
export const hostileTexts = [
  controls,
  '\u001b[31mred\u001b[0m\u001b[2J\u001b[H\u001b[38;5;1m',
  '\u001b]52;c;ZXZpbA==\u0007\u001b]0;title\u001b\\\u001bP+q\u001b\\\u001b(0\u001bc',
  '\u009b31m\u009b2J\u009d0;title\u009c\u0090q\u009c',
  '\u202egnp.exe\u2066\u2067\u2068\u2069\u061c\u200e\u200f\u202a\u202b\u202c\u202d',
  'a\u2028b\u2029c\u0085d\r\ne\rf\tg\u000bh\u000ci\u0008\u0008',
  '\ud800 \udfff\ud83d\ud83d',
  `\ud83d${'\u0301'.repeat(500)}e${'\u0301\u0903'.repeat(300)}`,
  'x'.repeat(5000),
  '日本語 👩‍👩‍👧‍👦 🇩🇪 \u200d\ufe0f \u0600\u0d4e',
  '\u001b',
  '[31m',
  '\\x1b[31m',
  '\n\n\n',
  '__proto__',
  'constructor',
  '',
] as const

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc
    .array(fc.constantFrom(...controls, ...hostileTexts, 'a', '[', ']', 'm', '\ud83d', '\ude00', '\u202e'), {
      maxLength: 8,
    })
    .map(parts => parts.join('')),
)
