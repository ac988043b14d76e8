import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../src/sandbox/model/index.ts'
import { canonicalizeRequest } from '../../../src/scenario/cassette/canonical-request.ts'
import { createEnvPlaceholders } from '../../../src/scenario/cassette/env-placeholders.ts'
import { codePoint } from '../../helpers/code-point.ts'

describe('environment values', () => {
  const placeholders = createEnvPlaceholders(
    new Map([
      ['KEY', 'sk-1234'],
      ['LONG', 'sk-1234-5678'],
      ['ZONE', 'eu'],
      ['EMPTY', ''],
    ]),
  )

  test('become references, longest first, short ones only as whole words', () => {
    expect(placeholders.hide('sk-1234-5678 and sk-1234 in eu, neutral')).toBe(
      '${env:LONG} and ${env:KEY} in ${env:ZONE}, neutral',
    )
  })

  test('are restored on replay; other references stay', () => {
    expect(placeholders.show('${env:ZONE} ${env:OTHER} ${env:EMPTY}.')).toBe('eu ${env:OTHER} .')
  })

  test.each(['${env:ZONE} of eu', '$${env:ZONE}', '$$${env:OTHER} ${env:}', '{"a": "${env:KEY}"}'])(
    'a text that looks like a reference comes back as it was: %s',
    text => {
      const [withNone, withAll] = [createEnvPlaceholders(new Map()), placeholders]
      expect(withAll.show(withAll.hide(text))).toBe(text)
      expect(withAll.showInJson(withNone.hide(text))).toBe(text)
      expect(withNone.show(withAll.hide(text.replace('eu', '')))).toBe(text.replace('eu', ''))
    },
  )
})

describe('an environment secret', () => {
  const requestOf = (prompt: string, given = '{}'): ChatRequest => ({
    messages: [
      { role: 'system', content: prompt },
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'book', arguments: given }] },
      { role: 'tool', toolCallId: 'a', content: given },
      { role: 'user', content: given },
    ],
    tools: [{ name: 'book', description: prompt, parameters: { [prompt]: { default: prompt } } }],
    temperature: 0,
    maxTokens: 1,
  })
  const secrets = [
    's3cret-9 ',
    's3cret-9\r\n',
    '\ns3cret-9\t',
    's3 cr\nt-9\n',
    '\bs3cret\b9',
    'käse"\\/\n{}9',
    'a\\\\"b\u{1f600}',
  ]
  const writtenOf = (secret: string, request: ChatRequest) =>
    JSON.stringify(
      canonicalizeRequest(request, {
        model: 'small',
        placeholders: createEnvPlaceholders(new Map([['SECRET', secret]])),
      }),
    )

  test.each(secrets)('%j is hidden in a trimmed prompt', secret => {
    for (const prompt of [`Use ${secret}`, secret, `Use ${secret} now`].map(text => text.trim())) {
      const written = writtenOf(secret, requestOf(prompt))
      for (const part of ['s3cret', 'cr\\nt', 'käse', '\u{1f600}']) expect(written).not.toContain(part)
      expect(written).toContain('${env:SECRET}')
    }
  })

  test.each(secrets)('%j is hidden in escaped JSON', secret => {
    const once = JSON.stringify({ key: secret, [secret]: secret.trim() })
    const ascii = once.replace(
      /[^\x20-\x7e]/g,
      unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    // A number that JSON writes otherwise: the text is not taken for its value.
    const torn = `${once.slice(0, -1)},"n":1.0}`
    for (const given of [
      once,
      ascii,
      torn,
      JSON.stringify({ inner: once }),
      JSON.stringify({ inner: torn }),
    ]) {
      const written = writtenOf(secret, requestOf('Be kind.', given))
      for (const part of ['s3cret', 'cr\\', 'käse', 'k\\\\u00e4se', '\u{1f600}', 'ud83d'])
        expect(written, given).not.toContain(part)
    }
  })

  test('is hidden as a number and with call variables filled', () => {
    expect(writtenOf('20250101', requestOf('Hi.', '{"pin":20250101}'))).not.toContain('20250101')
    const { hide, show } = createEnvPlaceholders(new Map([['TOKEN', 'tok-{{name}}-x9 ']]), text =>
      text.replaceAll('{{name}}', 'Ada'),
    )
    expect(hide('Use tok-Ada-x9')).toBe('Use ${env:TOKEN}')
    expect(hide('Use tok-{{name}}-x9')).toBe('Use ${env:TOKEN}')
    expect(show('${env:TOKEN}')).toBe('tok-Ada-x9')
  })

  test('is restored in arguments as JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, minLength: 1 }), value => {
        const secret = `s3cret${value.toWellFormed()}9`
        const { hide, showInJson } = createEnvPlaceholders(new Map([['SECRET', secret]]))
        const hidden = hide(JSON.stringify({ key: secret }))
        expect(hidden).toBe('{"key":"${env:SECRET}"}')
        expect(JSON.parse(showInJson(hidden))).toEqual({ key: secret })
      }),
    )
  })

  test.each([
    ['    b', ' '.repeat(200_000)],
    ['b    ', ' '.repeat(200_000)],
    ['n bcd', String.raw`\n`.repeat(100_000)],
    ['20 bcd', String.raw`\u0020`.repeat(100_000)],
    [String.raw`a \ b`, `a${String.raw`\\n`.repeat(100_000)}`],
    ['\\\\"s3cret \n\\"9', ['\\', '\\"', '\\n', ' ', '"'].map(part => part.repeat(200_000)).join('x')],
  ])('%j is matched in linear time', (secret, hostile) => {
    const { hide } = createEnvPlaceholders(new Map([['SECRET', secret]]))
    expect(hide(hostile)).toBe(hostile)
  })
})

describe('white space around an environment value', () => {
  const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r', '\u00a0', '\ufeff'), maxLength: 4 })

  test.each(['    ', '\n', '{{blank}}'])('%j alone is not hidden', value => {
    const { hide } = createEnvPlaceholders(new Map([['BLANK', value]]), text =>
      text.replaceAll('{{blank}}', ' \n'),
    )
    expect(hide('Hello world,\n    it is')).toBe('Hello world,\n    it is')
  })

  test('stays in the text', () => {
    const { hide, show, showInJson } = createEnvPlaceholders(new Map([['SECRET', '\tsecret-1\n']]))
    expect(hide('the secret-1!')).toBe('the ${env:SECRET}!')
    expect(show('the ${env:SECRET}!')).toBe('the secret-1!')
    expect(hide('the \tsecret-1\n!')).toBe('the \t${env:SECRET}\n!')
    const json = JSON.stringify({ key: '\tsecret-1\n' })
    expect(hide(json)).toBe(String.raw`{"key":"\t${'${env:SECRET}'}\n"}`)
    expect(showInJson(hide(json))).toBe(json)
  })

  test('is restored together with the value', () => {
    const core = fc.stringMatching(/^s3cret[a-z {}-]*9$/)
    const between = fc.oneof(blanks, fc.constantFrom('!', '. ', 'THE ', '{}', '"'))
    fc.assert(
      fc.property(
        blanks,
        core,
        blanks,
        fc.array(fc.tuple(between, fc.boolean()), { minLength: 1 }),
        (before, secret, after, parts) => {
          const value = `${before}${secret}${after}`
          const { hide, show } = createEnvPlaceholders(new Map([['SECRET', value]]))
          const text = parts.map(([part, isTrimmed]) => `${part}${isTrimmed ? secret : value}`).join('')
          expect(hide(text)).not.toContain(secret)
          expect(show(hide(text))).toBe(text)
        },
      ),
    )
  })
})
