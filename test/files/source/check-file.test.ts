import { expect, test } from 'vitest'
import { checkFile } from '../../../src/files/source/index.ts'
import type { KindName } from '../../../src/interface/words.ts'
import { codesOf } from '../../helpers/errors.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

async function checked(
  file: string,
  content: string,
  kind: KindName,
  options: { env?: Record<string, string>; vocabulary?: Record<string, string>; allowUnknown?: boolean } = {},
) {
  const cwd = await temporaryFolder({ [file]: content })
  return checkFile(file, kind, { cwd, env: {}, vocabulary: {}, ...options })
}

test('sorts all findings of a file by position', async () => {
  const { diagnostics } = await checked(
    'a.yaml',
    'nam: Ada\nidleTimeout: 3\nassistantType: single_promt\nendCallMessage: Bye\nconfig:\n  speech:\n    ttsData:\n      - voise: x\nttsAudioCacheScope: global\n',
    'assistant',
  )
  expect(
    diagnostics.map(({ code, severity, position, hint }) => [
      position?.line,
      position?.column,
      code,
      severity,
      hint,
    ]),
  ).toEqual([
    [1, 1, 'missing', 'error', 'add name: text'],
    [1, 1, 'unknown-key', 'error', 'did you mean name?'],
    [2, 14, 'out-of-range', 'error', undefined],
    [3, 16, 'not-allowed', 'error', 'did you mean single_prompt?'],
    [4, 1, 'needs', 'error', expect.stringContaining('assistantPredefinedTools.endCall: true')],
    [8, 9, 'unknown-key', 'error', 'did you mean voice?'],
    [9, 21, 'deprecated', 'warning', 'use assistant or team'],
  ])
})

test('resolves references and vocabulary in the body, and keeps the rest unchanged', async () => {
  const { body, diagnostics } = await checked(
    'a.yaml',
    'name: ${env:NAME}\nassistantProvider: <provider_1>\nstartSpeakingOptions: {RtcBaseValue: 1}\nassistantServer: {url: "https://x.test", own: <provider_1>}\n',
    'assistant',
    { env: { NAME: 'Ada' }, vocabulary: { '<provider_1>': 'acme', Rtc: 'Acme' } },
  )
  expect(diagnostics).toEqual([])
  expect(body).toEqual({
    name: 'Ada',
    assistantProvider: 'acme',
    startSpeakingOptions: { AcmeBaseValue: 1 },
    assistantServer: { url: 'https://x.test', own: '<provider_1>' },
  })
})

test('reports an unresolved reference as the only finding of its field, at its text', async () => {
  const { diagnostics } = await checked('a.yaml', 'name: a\nassistantType: ${env:NOPE}\n', 'assistant')
  expect(diagnostics).toMatchObject([
    { code: 'missing-env', file: 'a.yaml', position: { line: 2, column: 16 } },
  ])
})

test('never displays a value from the environment', async () => {
  const env = { KEY: 'single_promtt' }
  const { diagnostics, fromEnvironment } = await checked(
    'a.yaml',
    'name: a\nassistantType: ${env:KEY}\n',
    'assistant',
    { env },
  )
  expect(JSON.stringify(diagnostics)).not.toContain('single_promtt')
  expect(diagnostics).toMatchObject([
    { code: 'not-allowed', message: expect.stringContaining('allowed: one of single_prompt') },
  ])
  expect(fromEnvironment).toEqual([['assistantType']])
})

test('sends unknown fields unchanged if allowed', async () => {
  const { body, diagnostics } = await checked('t.json', '{"type":"function","new":{"x":1}}', 'tool', {
    allowUnknown: true,
  })
  expect(diagnostics).toEqual([])
  expect(body).toEqual({ type: 'function', new: { x: 1 } })
})

test('reports repeated questions and ids of FAQ entries with the first occurrence', async () => {
  const { diagnostics } = await checked(
    'k.yaml',
    'faq:\n  - {id: f1, question: "Are you open?", answer: a}\n  - {id: f1, question: "Hours?", answer: a}\n  - {question: " Are  you\\topen?", answer: a}\n  - {id: , question: q, answer: a}\n  - {id: "", question: r, answer: a}\n',
    'knowledge-base',
  )
  expect(diagnostics).toMatchObject([
    {
      code: 'duplicate',
      path: ['faq', 1, 'id'],
      position: { line: 3, column: 10 },
      message: expect.stringContaining('line 2'),
    },
    {
      code: 'duplicate',
      path: ['faq', 2, 'question'],
      position: { line: 4, column: 16 },
      message: expect.stringContaining('line 2'),
    },
  ])
})

test('reports findings in a CSV file at their cells, and an unknown column once', async () => {
  const text = 'id,question,answer,updatable,note\nf1,Hours?,Nine,true,n\nf1,,Ten,perhaps,n\n'
  const { diagnostics } = await checked('k.csv', text, 'knowledge-base')
  expect(diagnostics.map(({ code, position }) => [code, position?.line, position?.column])).toEqual([
    ['unknown-key', 1, 30],
    ['duplicate', 3, 1],
    ['out-of-range', 3, 4],
    ['wrong-type', 3, 9],
  ])
  const clean = await checked('k.csv', 'question,answer,note\na,b,n\n', 'knowledge-base', {
    allowUnknown: true,
  })
  expect(clean.diagnostics).toEqual([])
  expect(clean.body).toEqual({ faq: [{ question: 'a', answer: 'b', note: 'n' }] })
})

test('reports fields of entries that a spreadsheet has lost: in a table an error', async () => {
  const table =
    'id,question,answer\n6.65E+05,Hours?,1.2E+10\nf2,#NAME?,=B2\nf3,Parking?, #NV\nf4,1.2E+10,Err:502\n'
  const { diagnostics } = await checked('k.csv', table, 'knowledge-base')
  expect(
    diagnostics.map(({ code, severity, position }) => [code, severity, position?.line, position?.column]),
  ).toEqual([
    ['shortened-number', 'error', 2, 1],
    ['shortened-number', 'error', 2, 17],
    ['spreadsheet-error', 'error', 3, 4],
    ['spreadsheet-error', 'error', 3, 11],
    ['spreadsheet-error', 'error', 4, 14],
    ['shortened-number', 'error', 5, 4],
    ['spreadsheet-error', 'error', 5, 12],
  ])
  const yaml = 'faq:\n  - { question: What is an error?, answer: "#REF!" }\n'
  expect((await checked('k.yaml', yaml, 'knowledge-base')).diagnostics).toMatchObject([
    { code: 'spreadsheet-error', severity: 'warning', position: { line: 2, column: 44 } },
  ])
})

test('accepts CSV only for FAQ entries', async () => {
  const { diagnostics, body } = await checked('a.csv', 'question,answer\na,b\n', 'assistant')
  expect(diagnostics).toMatchObject([{ code: 'wrong-format' }])
  expect(body).toBeUndefined()
})

test('reports only syntax errors if a file does not parse', async () => {
  const { diagnostics, body } = await checked('a.yaml', 'name: [\n', 'assistant')
  expect(new Set(codesOf(diagnostics))).toEqual(new Set(['broken-yaml']))
  expect(body).toBeUndefined()
})

test('rejects a document that is not a mapping', async () => {
  const { diagnostics } = await checked('a.yaml', '- name: x\n', 'assistant')
  expect(diagnostics).toMatchObject([{ code: 'wrong-type', path: [], position: { line: 1, column: 1 } }])
})

test.each([
  ['assistants YAML', 'a.yaml', 'callForwardData: { phoneNumber: +12025550123 }', '"+12025550123"'],
  ['a leading zero', 'a.yaml', 'hints: [00123]', '"00123"'],
  ['a fraction as it is written', 'a.yaml', 'hints: [1.50]', '"1.50"'],
  ['a hexadecimal number', 'a.yaml', 'hints: [0x1F]', '"0x1F"'],
  ['true', 'a.yaml', 'welcomeMessage: True', '"True"'],
  ['a written null', 'a.yaml', 'welcomeMessage: null', '"null"'],
  ['a text of a variable', 'a.yaml', 'assistantOverrides: { dynamicVariables: { zip: 20255 } }', '"20255"'],
  ['a number of JSON', 'a.json', '{"name": "x", "hints": [1e2]}', '"1e2"'],
])('%s in place of a string is reported with a quoted suggestion', async (_case, file, field, quoted) => {
  const text = file.endsWith('json') ? field : `name: x\n${field}\n`
  const { diagnostics } = await checked(file, text, 'assistant')
  expect(diagnostics).toMatchObject([{ code: 'wrong-type', hint: `put it in quotes: ${quoted}` }])
})

test('asks for quotes around a text that YAML reads as a mapping', async () => {
  const file = 'name: Desk\nhints:\n  - a ::: b\n'
  const { diagnostics } = await checked('a.yaml', file, 'assistant')
  expect(diagnostics).toMatchObject([
    { code: 'wrong-type', path: ['hints', 0], hint: 'quote text that contains ": "' },
  ])
})

test('does not suggest quotes for an empty value', async () => {
  const { diagnostics } = await checked('a.yaml', 'name:\nwelcomeMessage: [a]\n', 'assistant')
  expect(diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
    ['wrong-type', 'write a text, or leave the field out'],
    ['wrong-type', undefined],
  ])
})

test.each([
  'example.com',
  'ftp://example.com/',
  'http://',
  'http:/example.com',
  'https://example.com:99999/',
  ' https://example.com',
  '',
  'https://exa mple.com',
])('assistantLLMUrl and assistantServer.url cannot be %j', async url => {
  const text = JSON.stringify({
    name: 'x',
    assistantProvider: 'custom-llm',
    assistantLLMUrl: url,
    assistantServer: { url },
  })
  const { diagnostics } = await checked('a.json', text, 'assistant')
  expect(diagnostics.map(({ code, path }) => [code, ...path])).toEqual([
    ['wrong-format', 'assistantLLMUrl'],
    ['wrong-format', 'assistantServer', 'url'],
  ])
})

test('checks URLs after resolving references, and displays them only if they are not secret', async () => {
  const text =
    'name: x\nassistantProvider: custom-llm\nassistantLLMUrl: ${env:LLM}/v1\nassistantServer: { url: "${env:HOOK:-http://127.0.0.1:4011/}" }\n'
  const good = await checked('a.yaml', text, 'assistant', { env: { LLM: 'HTTPS://user:key@example.com' } })
  expect(good.diagnostics).toEqual([])
  const bad = await checked('a.yaml', text, 'assistant', { env: { LLM: 's3cret', HOOK: 's3cret' } })
  expect(codesOf(bad.diagnostics)).toEqual(['wrong-format', 'wrong-format'])
  expect(JSON.stringify(bad.diagnostics)).not.toContain('s3cret')
  const unset = await checked('a.yaml', text, 'assistant')
  expect(codesOf(unset.diagnostics)).toEqual(['missing-env'])
})

test('warns of a prompt that denies that the assistant is an AI, and of a recording that nobody is told of', async () => {
  const prompt = 'name: x\nassistantSystemPrompt: |\n  Be kind.\n  Never say that you are an AI.\n'
  const overrides = 'assistantOverrides: { recordingEnabled: true }\n'
  const { diagnostics } = await checked('a.yaml', prompt + overrides, 'assistant')
  expect(diagnostics).toMatchObject([
    { code: 'denies-ai', severity: 'warning', path: ['assistantSystemPrompt'], position: { line: 2 } },
    { code: 'untold-recording', severity: 'warning', path: ['assistantOverrides'], position: { line: 5 } },
  ])
  const told =
    'name: x\nwelcomeMessage: Hello, this call is recorded.\nassistantSystemPrompt: Never say that you are a lawyer.\n'
  expect((await checked('a.yaml', told + overrides, 'assistant')).diagnostics).toEqual([])
  const other =
    'name: x\nwelcomeMessage: This call is recorded.\nassistantOverrides: { recordingEnabled: true, welcomeMessage: Hi }\n'
  expect(codesOf((await checked('a.yaml', other, 'assistant')).diagnostics)).toEqual(['untold-recording'])
})

test('warns that assistantLLMUrl has no effect without custom-llm', async () => {
  const text = 'name: x\nassistantLLMUrl: https://example.com/v1\n'
  const { diagnostics } = await checked('a.yaml', text, 'assistant')
  expect(diagnostics).toMatchObject([
    { code: 'no-effect', severity: 'warning', path: ['assistantLLMUrl'], position: { line: 2, column: 1 } },
  ])
  const used = await checked('a.yaml', `${text}assistantProvider: custom-llm\n`, 'assistant')
  expect(used.diagnostics).toEqual([])
})
