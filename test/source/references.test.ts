import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resolveReferences } from '../../src/source/references.ts'

async function resolve(value: unknown, files: Record<string, string> = {}, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-references-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'prompts'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return resolveReferences(value, {
    file: join(folder, 'a.yaml'),
    env,
    folder: async () => folder,
    resource: () => ({ problem: 'none' }),
  })
}

test('a value without references is returned as it is', async () => {
  const value = { a: ['text', 1, null, { b: '$5 {x} $' }] }
  expect(await resolve(value)).toMatchObject({ value, findings: [], fromEnvironment: [] })
  expect((await resolve(value)).value).toBe(value)
})

test('several references in one text, in lists and mappings, with defaults', async () => {
  const { value, findings, fromEnvironment } = await resolve(
    {
      a: 'Hi ${env:NAME}, ${env:TITLE:-Dr.} ${env:EMPTY:-none}!',
      b: ['${env:NAME}'],
      c: { d: '${env:EMPTY}|' },
      e: '${env:X:-}',
    },
    {},
    { NAME: 'Ada', EMPTY: '' },
  )
  expect(value).toEqual({ a: 'Hi Ada, Dr. none!', b: ['Ada'], c: { d: '|' }, e: '' })
  expect(findings).toEqual([])
  expect(fromEnvironment).toEqual([['a'], ['b', 0], ['c', 'd'], ['e']])
})

test('a file is included exactly, without its byte order mark, and not resolved again', async () => {
  const { value } = await resolve(
    { a: '<${file:prompts/x.md}>' },
    { 'prompts/x.md': '\uFEFFline\r\n${env:SECRET} $${ $& $1\n' },
    { SECRET: 'no' },
  )
  expect(value).toEqual({ a: '<line\r\n${env:SECRET} $${ $& $1\n>' })
})

test('what the environment holds is not resolved again either', async () => {
  const { value } = await resolve('${env:A}', {}, { A: '${env:B} $& $${x}', B: 'no' })
  expect(value).toBe('${env:B} $& $${x}')
})

test('$${ is a literal', async () => {
  const { value, findings } = await resolve('$${env:NAME} costs $$${env:N}', {}, { N: '5' })
  expect(value).toBe('${env:NAME} costs $${env:N}')
  expect(findings).toEqual([])
})

test.each([
  ['${env:NOPE}', 'missing-env', 'NOPE'],
  ['${file:nope.md}', 'missing-file', 'no such file'],
  ['${file:prompts}', 'missing-file', 'folder'],
  ['${evn:NAME}', 'bad-reference', 'evn'],
  ['${NAME}', 'bad-reference', '${NAME}'],
  ['${env:1A}', 'bad-reference', '${env:1A}'],
  ['${env:}', 'bad-reference', '${env:}'],
  ['${}', 'bad-reference', '${}'],
  ['${env:NAME', 'bad-reference', 'closes'],
])('%s is a finding', async (text, code, part) => {
  const { findings } = await resolve({ list: [{ a: text }] })
  expect(findings).toMatchObject([{ code, path: ['list', 0, 'a'], at: 'value', severity: 'error' }])
  expect(findings[0]?.message).toContain(part)
})

test('a mistyped word is suggested', async () => {
  const { findings } = await resolve('${evn:NAME}')
  expect(findings[0]?.hint).toContain('did you mean ${env:…}?')
})

test('every missing one is reported', async () => {
  const { findings } = await resolve({ a: '${env:ONE} ${env:TWO}', b: '${env:THREE}' })
  expect(findings).toHaveLength(3)
})
