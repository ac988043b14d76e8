import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ReferenceOptions, resolveReferences } from '../../../src/files/source/references.ts'
import { runs } from '../../helpers/every-case.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { templateText } from './template-text.ts'

async function resolve(
  value: unknown,
  files: Record<string, string> = {},
  env: Record<string, string> = {},
  options: Partial<ReferenceOptions> = {},
) {
  const latin = Buffer.from('a\xe9', 'latin1')
  const folder = await temporaryFolder({ 'prompts/none': '', 'latin.md': latin, ...files })
  return resolveReferences(value, {
    file: join(folder, 'a.yaml'),
    env,
    folder: async () => folder,
    resource: () => ({ problem: 'none' }),
    ...options,
  })
}

test('returns a value without references unchanged', async () => {
  const value = { a: ['text', 1, null, { b: '$5 {x} $' }] }
  const { render, ...resolved } = await resolve(value)
  expect(resolved).toEqual({
    value,
    findings: [],
    fromEnvironment: [],
    resources: [],
    variables: new Map(),
    variableNames: new Set(),
    included: new Map(),
    files: [],
  })
  expect(resolved.value).toBe(value)
  expect(render({ env: () => 'x' })).toBe(value)
})

test('keeps the types of values without text', async () => {
  const value = { a: '${env:A}', b: 1, c: null, d: true, e: [], f: {}, g: 'text' }
  expect((await resolve(value, {}, { A: 'x' })).value).toEqual({ ...value, a: 'x' })
})

test('resolves several references in one text, in lists and mappings, with defaults', async () => {
  const { value, findings, fromEnvironment } = await resolve(
    {
      a: 'Hi ${env:NAME}, ${env:TITLE:-Dr.} ${env:EMPTY:-none}!',
      b: ['${env:NAME}'],
      c: { d: '${env:EMPTY:-}|' },
      e: '${env:X:-}',
      f: '${env:MY_CALLYARD_URL:-default}',
    },
    {},
    { NAME: 'Ada', EMPTY: '', MY_CALLYARD_URL: 'x' },
  )
  expect(value).toEqual({ a: 'Hi Ada, Dr. none!', b: ['Ada'], c: { d: '|' }, e: '', f: 'x' })
  expect(findings).toEqual([])
  expect(fromEnvironment).toEqual([['a'], ['b', 0], ['c', 'd'], ['e'], ['f']])
})

test('includes a file as plain text, and does not resolve it again', async () => {
  const { value } = await resolve(
    { a: '<${file:prompts/x.md}>' },
    { 'prompts/x.md': '\uFEFFline\r\n${env:SECRET} $${ $& $1\n' },
    { SECRET: 'no' },
  )
  expect(value).toEqual({ a: '<line\n${env:SECRET} $${ $& $1\n>' })
})

test('a variable that is empty is a finding, unless a default allows it', async () => {
  const { findings } = await resolve({ a: '${env:T}', b: '${env:T:-}' }, {}, { T: '' })
  expect(findings).toMatchObject([{ path: ['a'], code: 'missing-env' }])
  expect(findings[0]).toMatchObject({
    message: expect.stringContaining('T, which is empty'),
    hint: expect.stringContaining('${env:T:-}'),
  })
})

test('does not resolve text from the environment again', async () => {
  const { value } = await resolve('${env:A}', {}, { A: '${env:B} $& $${x}', B: 'no' })
  expect(value).toBe('${env:B} $& $${x}')
})

test('$${ is a literal', async () => {
  const { value, findings } = await resolve('$${env:NAME} costs $$${env:N}', {}, { N: '5' })
  expect(value).toBe('${env:NAME} costs $${env:N}')
  expect(findings).toEqual([])
})

test.each([
  ['${env:NOPE}', 'missing-env', 'NOPE, which is not set'],
  ['${file:nope.md}', 'missing-file', 'no such file'],
  ['${file:prompts}', 'is-a-folder', 'folder'],
  ['${file:latin.md}', 'wrong-encoding', 'line 1, column 2: the file is not UTF-8'],
  ['${evn:NAME}', 'bad-reference', 'evn'],
  ['${NAME}', 'bad-reference', '${NAME}'],
  ['${env:1A}', 'bad-reference', '${env:1A}'],
  ['${env:}', 'bad-reference', '${env:}'],
  ['${}', 'bad-reference', '${}'],
  ['${env:NAME', 'bad-reference', 'unclosed'],
])('%s is a finding', async (text, code, part) => {
  const { findings } = await resolve({ list: [{ a: text }] })
  expect(findings).toMatchObject([{ code, path: ['list', 0, 'a'], at: 'value', severity: 'error' }])
  expect(findings[0]?.message).toContain(part)
})

test.each([
  ['${evn:NAME}', 'env'],
  ['${ flie : a.md}', 'file'],
  ['${tol:book}', 'tool'],
])('suggests the correct spelling: %s', async (text, word) => {
  const { findings } = await resolve(text)
  expect(findings[0]?.hint).toMatch(`did you mean \${${word}:…}? to write a literal`)
})

test.each([
  '${env:1A}',
  '${NAME}',
  '${env:A',
  '${pineapple:x}',
  '${}',
  '${a b:c}',
  '${evn x:y}',
  '${x evn:y}',
])('suggests escaping and no other word for %s', async text => {
  const { findings } = await resolve(text)
  expect(findings[0]?.hint).toMatch(/^to write a literal \$\{/)
})

test('keeps unresolved references as written, and drops unresolved files and variables', async () => {
  const { value } = await resolve({
    bad: 'a ${evn:NAME} b',
    tool: 'a ${tool:book} b',
    file: 'a ${file:nope.md} b',
    env: 'a ${env:NOPE} b',
  })
  expect(value).toEqual({ bad: 'a ${evn:NAME} b', tool: 'a ${tool:book} b', file: 'a  b', env: 'a  b' })
})

test('keeps the details of a missing resource', async () => {
  const resource = () => ({ problem: 'no-such-tool', details: { near: 'book' } })
  const { findings } = await resolve({ tools: ['${tool:bok}'] }, {}, {}, { resource })
  expect(findings).toEqual([
    expect.objectContaining({
      path: ['tools', 0],
      code: 'unknown-reference',
      message: 'tools[0] refers to ${tool:bok}, but no-such-tool',
      details: { near: 'book' },
    }),
  ])
})

test('has a hint for everything missing', async () => {
  const { findings } = await resolve(
    ['${env:NOPE}', '${tool:book}'],
    {},
    {},
    {
      resource: () => ({ problem: 'no such tool', hint: 'write it' }),
    },
  )
  expect(findings).toMatchObject([
    { code: 'missing-env', hint: expect.stringContaining('${env:NOPE:-default}') },
    {
      code: 'unknown-reference',
      message: expect.stringContaining('refers to ${tool:book}, but no such tool'),
      hint: 'write it',
    },
  ])
})

test.each(['CALLYARD_API_KEY', 'callyard_profile'])('%s is never read, nor its default taken', async name => {
  const resolved = await resolve(`<\${env:${name}}> <\${env:${name}:-default}>`, {}, { [name]: 'secret' })
  expect(resolved).toMatchObject({
    value: '<> <>',
    findings: [{ code: 'own-variable' }, { code: 'own-variable' }],
    fromEnvironment: [[]],
    variables: new Map(),
    variableNames: new Set(),
  })
  expect(resolved.findings[0]).toMatchObject({
    message: expect.stringContaining(name),
    hint: expect.stringContaining('another name'),
  })
  expect(resolved.render({})).not.toContain('secret')
})

test('lists set variables with their values, and each field with one once', async () => {
  const value = { a: '${env:A} ${env:A} ${env:UNSET:-x}', b: '${env:EMPTY:-y}', c: '${env:EMPTY}' }
  const { variables, variableNames, fromEnvironment } = await resolve(value, {}, { A: '1', EMPTY: '' })
  expect(variables).toEqual(
    new Map([
      ['A', '1'],
      ['EMPTY', ''],
    ]),
  )
  expect([...variableNames].sort()).toEqual(['A', 'EMPTY', 'UNSET'])
  expect(fromEnvironment).toEqual([['a'], ['b'], ['c']])
})

test('replaces references to resources, and lists them with their fields', async () => {
  const { value, resources, findings } = await resolve(
    { a: ['x', '${tool:book}'], b: '${file:x.md}' },
    { 'x.md': '' },
    {},
    {
      resource: ({ kind, name }) => ({ text: `id of ${kind} ${name}` }),
    },
  )
  expect(value).toEqual({ a: ['x', 'id of tool book'], b: '' })
  expect(resources).toEqual([{ kind: 'tool', name: 'book', path: ['a', 1] }])
  expect(findings).toEqual([])
})

describe('included files', () => {
  test('are listed with their text unless missing', async () => {
    const { included, files } = await resolve(['${file:a.md}', '${file:nope.md}'], { 'a.md': 'text' })
    expect(included).toEqual(new Map([['a.md', 'text']]))
    expect(files).toEqual(['a.md'])
  })

  test('outside the folder are rejected, or read and listed if allowed', async () => {
    const file = join(await realpath(await temporaryFolder({ 'a.md': 'text' })), 'a.md')
    const refused = await resolve(`\${file:${file}}`)
    expect(refused).toMatchObject({
      value: '',
      files: [],
      findings: [{ code: 'outside-file', hint: 'move it there' }],
    })
    const allowed = await resolve(`\${file:${file}}`, {}, {}, { allowOutsideFiles: true })
    expect(allowed).toMatchObject({ value: 'text', files: [file], findings: [] })
  })

  test('that cannot be read have a hint about relative paths', async () => {
    const { findings } = await resolve('${file:nope.md}')
    expect(findings[0]).toMatchObject({
      message: expect.stringContaining('includes nope.md: '),
      hint: expect.stringContaining('relative to the file'),
    })
  })

  test('are not looked for without a reference', async () => {
    const { value } = await resolve(
      '${env:A}',
      {},
      { A: 'x' },
      {
        folder: () => Promise.reject(new Error('nothing asked for a file')),
      },
    )
    expect(value).toBe('x')
  })
})

describe('a rendered value', () => {
  const value = {
    env: '${env:A} ${env:NOPE:-default} ${env:UNSET}',
    file: '${file:a.md}',
    tool: ['${tool:book}'],
    bad: '${evn:A} $${x}',
    number: 1,
  }
  const written = () =>
    resolve(
      value,
      { 'a.md': 'text' },
      { A: 'secret' },
      {
        resource: ({ name }) => ({ text: `id of ${name}` }),
      },
    )
  const rest = { file: 'text', bad: '${evn:A} ${x}', number: 1 }

  test('equals the value without replacements', async () => {
    const { render } = await written()
    expect(render({})).toEqual({ ...rest, env: 'secret default ', tool: ['id of book'] })
  })

  test('has replacements for variables that are set', async () => {
    const { render } = await written()
    const env = (name: string, text: string) => `${name}=${text.length}`
    expect(render({ env })).toEqual({ ...rest, env: 'A=6 default ', tool: ['id of book'] })
  })

  test('has replacements for references to resources', async () => {
    const { render } = await written()
    const resource = ({ kind, name }: { kind: string; name: string }) => `<${kind} ${name}>`
    expect(render({ resource })).toEqual({ ...rest, env: 'secret default ', tool: ['<tool book>'] })
  })

  test('is not resolved again, for any content', async () => {
    // A file with a zero byte is refused as binary.
    const inFile = templateText.map(each => each.replaceAll('\u0000', ''))
    const value = { a: '${env:A}|${tool:book}|${file:a.md}' }
    const property = fc.asyncProperty(
      templateText.filter(secret => secret !== ''),
      templateText,
      templateText,
      inFile,
      async (secret, id, hash, included) => {
        const resource = () => ({ text: 't1' })
        const resolved = await resolve(value, { 'a.md': included }, { A: secret }, { resource })
        const file = included.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
        expect(resolved.value).toEqual({ a: `${secret}|t1|${file}` })
        expect(resolved.render({ env: () => hash, resource: () => id })).toEqual({
          a: `${hash}|${id}|${file}`,
        })
        expect(resolved.findings).toEqual([])
      },
    )
    await fc.assert(property, {
      numRuns: runs(50),
      examples: [['${env:A}', '${tool:book}', '$&$1', '$${ ${file:a.md}']],
    })
  })

  test('keeps unresolved references as written', async () => {
    const { render } = await resolve({ a: '${tool:book}', b: '${file:nope.md}' })
    expect(render({})).toEqual({ a: '${tool:book}', b: '${file:nope.md}' })
  })
})

test('rejects an included text with an unresolved merge conflict', async () => {
  const { value, findings } = await resolve(
    { prompt: '${file:a.md}', other: '${file:b.md}' },
    {
      'a.md': 'Title\n=====\n<<<<<<< HEAD\nOpen\n=======\nClosed\n>>>>>>> feature\n',
      'b.md': 'Title\n=======\n',
    },
  )
  expect(findings).toMatchObject([{ code: 'merge-conflict', path: ['prompt'] }])
  expect(findings[0]?.message).toContain('line 3')
  expect(value).toEqual({ prompt: '', other: 'Title\n=======\n' })
})
