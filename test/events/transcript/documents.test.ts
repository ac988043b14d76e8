import { createHash } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { colors } from '../../../src/cli/shell/output/colors.ts'
import type { CallTranscript } from '../../../src/events/conversation/index.ts'
import { renderDocument } from '../../../src/events/transcript/index.ts'
import { escapeForTerminal } from '../../../src/lib/text/escape.ts'
import { type Colors, paint } from '../../../src/lib/text/text.ts'
import { readTranscripts, recorded, stream } from '../../helpers/recordings.ts'
import { triggeredCall } from '../../helpers/triggered-events.ts'
import { wellFormed } from '../../helpers/well-formed.ts'
import { harmless, hostileCall } from './hostile-calls.ts'
import { findAll, type PageElement, parsePage, textOf } from './parse-page.ts'

type Format = 'text' | 'markdown' | 'json' | 'html'

function render(
  calls: readonly CallTranscript[],
  format: Format,
  { color = false, width = 80 }: { color?: Colors | false; width?: number } = {},
): string {
  return paint(renderDocument(calls, { format, width }), { color })
}

async function sample(messages = 2): Promise<readonly CallTranscript[]> {
  return (await readTranscripts(stream(recorded(...triggeredCall(messages))))).calls
}

const shown = (text: string) =>
  escapeForTerminal(text.replaceAll('\r\n', '\n'), { allowedCharacters: '\n\t' })
const hostileCalls = fc.array(hostileCall, { minLength: 1, maxLength: 3 })

test('text: ids, numbers, statuses, messages with times, and analysis', async () => {
  expect(render(await sample(), 'text')).toBe(`Call CC-1
  direction     outbound
  type          web
  user          +12025550123, Ada
  assistant     +12025550100, Front desk
  assistant id  assistant-sample
  team id       team-sample
  began         2026-03-01 09:59:51 UTC
  ended         2026-03-01 10:00:00 UTC
  duration      0:09
  ended by      user
  outcome       answered

Status
  09:59:51  queued, ringing
  09:59:51  ongoing, in-progress
  10:00:00  finished, completed

Conversation, times in UTC
  09:59:54  assistant  Hello, this is the front desk of Spoke and Chain. How can
                       I help?
  09:59:57  user       Hi, my rear brake rubs. Can I bring the bicycle in on
                       Tuesday?

Analysis
  summary       The caller booked a brake repair for Tuesday at ten.
  success       pass
  data          {"service":"brake repair","day":"Tuesday","time":"10:00"}`)
})

test('marks an unanswered call and omits its empty conversation', async () => {
  const at = '2026-03-01T10:00:00.000Z'
  const statuses = [{ status: 'finished', phoneCallStatus: 'no-answer', at }]
  const calls = (await sample(0)).map(call => ({ ...call, statuses, analysis: null }))
  const reason = 'the phone rang and was not picked up'
  expect(render(calls, 'text')).toContain(`  not answered  ${reason}`)
  expect(render(calls, 'markdown')).toContain(`- not answered: ${reason}`)
  expect(render(calls, 'html')).toContain(`<dt>not answered</dt><dd dir="auto">${reason}</dd>`)
  for (const format of ['text', 'markdown', 'html'] as const)
    expect(render(calls, format)).not.toContain('Conversation')
})

test('Markdown: the same, with all special characters escaped', async () => {
  const [call] = await sample(1)
  if (call === undefined) throw new Error('no call')
  const messages = [
    {
      messageId: 'm1',
      role: 'user',
      text: '# <b>1*2</b>\n- see http://x.example.test',
      timestamp: null,
      edited: true,
    },
  ]
  const document = render([{ ...call, messages }], 'markdown')
  expect(document).toContain('# Call CC-1\n\n- direction: outbound\n')
  expect(document).toContain(
    '**user** (edited)\n\n> \\# \\<b\\>1\\*2\\</b\\>\\\n> \\- see http\\://x.example.test\n',
  )
})

test('reports invalid parts of an event by path in every format', async () => {
  const [call] = await sample(1)
  if (call === undefined) throw new Error('no call')
  const odd = {
    ...call,
    otherEvents: { 'call-summary': 3 },
    unread: [
      { at: call.firstAt, type: 'call-summary', path: null, odd: [], value: { type: 'call-summary' } },
      {
        at: call.firstAt,
        type: 'status-update',
        path: null,
        odd: ['call.status is an object'],
        value: { a: 1 },
      },
      { at: call.firstAt, type: null, path: 'messages[2]', odd: [], value: 7 },
    ],
  }
  for (const format of ['text', 'markdown', 'html'] as const) {
    const document = render([odd], format).replaceAll('\\', '').replaceAll('&quot;', '"')
    expect(document).toContain('3 × event call-summary')
    expect(document.match(/call-summary/g)).toHaveLength(1)
    expect(document).toContain('event status-update (call.status is an object): {"a":1}')
    expect(document).toContain('messages[2] is not a message: 7')
  }
  expect(JSON.parse(render([odd], 'json')).calls[0].unread).toEqual(odd.unread)
})

test('text has no control characters except our own SGR, for any width', () => {
  fc.assert(
    fc.property(hostileCalls, fc.integer({ min: 1, max: 120 }), (calls, width) => {
      const painted = render(calls, 'text', { color: colors, width })
      // Exactly the sequences that our styles make; not anything that a tool takes for a color.
      expect(painted.replace(/\u001b\[(1|2|22|3[0-9]|39)m/g, '')).toMatch(harmless)
      const plain = render(calls, 'text', { width })
      expect(plain).toMatch(harmless)
      expect(stripVTControlCharacters(painted)).toBe(plain)
    }),
  )
})

test('JSON round-trips, and its bytes are harmless', () => {
  fc.assert(
    fc.property(hostileCalls, calls => {
      const json = render(calls, 'json')
      expect(json).toMatch(harmless)
      expect(JSON.parse(json)).toEqual(wellFormed(JSON.parse(JSON.stringify({ version: 1, calls }))))
    }),
  )
})

test('the page round-trips any texts', () => {
  fc.assert(
    fc.property(hostileCalls, calls => {
      const html = render(calls, 'html')
      expect(html).toMatch(harmless)
      const page = parsePage(html)
      const names = new Set(findAll(page, () => true).map(({ name }) => name))
      expect([...names].filter(name => !allowedElements.includes(name))).toEqual([])
      const said = findAll(page, ({ attributes }) => attributes.class === 'said').map(textOf)
      expect(said).toEqual(calls.flatMap(({ messages }) => messages.map(({ text }) => shown(text))))
      const roles = findAll(page, ({ name }) => name === 'strong').map(textOf)
      expect(roles).toEqual(
        calls.flatMap(({ messages }) =>
          messages.map(({ role }) => (role.trim() === '' ? 'unknown' : shown(role))),
        ),
      )
      const values = findAll(page, ({ name }) => name === 'dd').map(textOf)
      for (const { direction, assistantId, analysis } of calls) {
        const texts = Object.values(analysis ?? {}).filter(value => typeof value === 'string')
        for (const text of [direction, assistantId, ...texts])
          if (text !== null) expect(values).toContain(shown(text))
      }
    }),
  )
})

test('attributes of the page contain only fixed values and valid times', () => {
  fc.assert(
    fc.property(hostileCalls, calls => {
      for (const { name, attributes } of findAll(parsePage(render(calls, 'html')), () => true)) {
        for (const [attribute, value] of Object.entries(attributes)) {
          const allowed = allowedAttributes[`${name} ${attribute}`] ?? allowedAttributes[attribute]
          expect(`${name} ${attribute}=${value}`).toMatch(allowed ?? /^never$/)
        }
      }
    }),
  )
})

test('the page is self-contained: a strict policy that allows its style, language, landmarks and headings', async () => {
  const [call] = await sample()
  if (call === undefined) throw new Error('no call')
  const page = parsePage(render([call, { ...call, callId: 'CC-2' }], 'html'))
  const only = (name: string) => findAll(page, element => element.name === name)
  const policy = findAll(page, ({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy')
  const digest = createHash('sha256')
    .update(textOf(only('style')[0] as PageElement))
    .digest('base64')
  expect(policy[0]?.attributes.content).toBe(
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`,
  )
  expect(only('html')[0]?.attributes.lang).toBe('en')
  expect(only('main')).toHaveLength(1)
  expect(only('h1').map(textOf)).toEqual(['2 calls'])
  expect(only('h2').map(textOf)).toEqual(['Call CC-1', 'Call CC-2'])
  expect(
    only('nav')
      .flatMap(nav => findAll(nav, ({ name }) => name === 'a'))
      .map(({ attributes }) => attributes.href),
  ).toEqual(only('article').map(({ attributes }) => `#${attributes.id}`))
  expect(only('time').map(({ attributes }) => attributes.datetime)).toContain('2026-03-01T09:59:54.000Z')
  expect(textOf(only('style')[0] as PageElement)).not.toMatch(/url\(|@import|expression/)
})

test('Markdown has no active characters except our own', () => {
  fc.assert(
    fc.property(hostileCalls, calls => {
      const document = render(calls, 'markdown')
      expect(document).toMatch(harmless)
      // Neither a backtick nor a tag inside a block of code.
      const lines = document.replace(/^```json\n([^`<>&]*)\n```$/gm, '').split('\n')
      for (const line of lines) checkMarkdownLine(line)
    }),
  )
})

test('Markdown quotes messages verbatim', () => {
  fc.assert(
    fc.property(hostileCall, call => {
      const document = render([{ ...call, analysis: null }], 'markdown')
      const quotes = document
        .split('\n')
        .filter(line => line.startsWith('>'))
        .map(line => unescapeMarkdown(line.replace(/^> ?/, '')))
      expect(quotes).toEqual(call.messages.flatMap(({ text }) => shown(text).split('\n')))
    }),
  )
})

/** Structural lines: a heading, an item, a speaker or a quotation, with every special character inside escaped. */
function checkMarkdownLine(line: string): void {
  const [, ours = '', rest = ''] =
    /^(# |#{2} (?=(?:Status|Conversation|Analysis|Also recorded)$)|- |> ?|)(.*)$/s.exec(line) ?? []
  // A time that we read ourselves is the only colon inside a word: those of others are escaped.
  const bare = rest
    .replace(/\\[\p{P}\p{S}]/gu, 'x')
    .replace(/&#(32|9);/g, '∎')
    .replace(/\b\d\d:\d\d:\d\d\b/g, 'x')
  const speaker = ours === '' && /^\*\*[^*]*\*\*[^*]*$/.test(bare) ? bare.replace(/\*\*/g, 'x') : bare
  expect(speaker.replace(/\\$/, '')).not.toMatch(
    /[\\`*_{}[\]<>&|~#$^@=]|:[^\s∎]|^[ \t]|\bwww\.|^[-+]|^\d+[.)]/i,
  )
  if (ours === '' && rest !== '') expect(rest).toMatch(/^\*\*/)
}

function unescapeMarkdown(line: string): string {
  return line
    .replace(/(?<=^(?:[^\\]|\\[\s\S])*)\\$/, '')
    .replace(
      /\\([\p{P}\p{S}])|&#(32|9);/gu,
      (_, character?: string, blank?: string) => character ?? String.fromCharCode(Number(blank)),
    )
}

const allowedElements = [
  ...[
    '',
    'html',
    'head',
    'meta',
    'title',
    'style',
    'body',
    'main',
    'nav',
    'article',
    'section',
    'h1',
    'h2',
    'h3',
  ],
  ...['ol', 'ul', 'li', 'dl', 'div', 'dt', 'dd', 'p', 'strong', 'small', 'span', 'time', 'a'],
]

const allowedAttributes: Readonly<Record<string, RegExp>> = {
  class: /=(statuses|conversation|who|said|user|assistant|other)$/,
  lang: /=(en)?$/,
  dir: /=auto$/,
  datetime: /=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  id: /=call-\d+(-title)?$/,
  href: /=#call-\d+$/,
  'aria-labelledby': /=call-\d+-title$/,
  'nav aria-label': /=Calls$/,
  'meta charset': /=utf-8$/,
  'meta name': /=(viewport|color-scheme|referrer)$/,
  'meta content': /=[\w\s'=,:;/+-]+$/,
  'meta http-equiv': /=Content-Security-Policy$/,
}
