import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { KindName } from '../../src/interface/words.ts'
import { accessBeyond, accessOf } from '../../src/source/access.ts'
import { checkFile } from '../../src/source/check-file.ts'

async function checked(
  text: string,
  env: Record<string, string> = {},
  kind: KindName = 'assistant',
  more: Record<string, string> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-access-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'assistants'))
  const files = { 'callwright.yaml': '', 'assistants/a.yaml': text, ...more }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return checkFile(join(folder, 'assistants/a.yaml'), kind, { cwd: folder, env, vocabulary: {} })
}

const hosts = async (text: string, env?: Record<string, string>, asked = false) =>
  accessOf([await checked(text, env)], { asked }).hosts

test('every variable that is named, whether it is set, has a default or not', async () => {
  const file = await checked('name: "${env:A} ${env:B:-b} ${env:A}"\nwelcomeMessage: "${env:C}"\n', {
    A: 'a',
  })
  expect(accessOf([file]).variables).toEqual(['A', 'B', 'C'])
  // What is not set is not read: no question is asked.
  expect(accessOf([file], { asked: true }).variables).toEqual(['A'])
})

test.each([
  ['assistantServer: { url: "http://hooks.acme.io/x" }', 'hooks.acme.io'],
  ['assistantServer: { url: "https://hooks.acme.io:8443/x" }', 'hooks.acme.io:8443'],
  ['assistantServer: { url: "https://Hooks.ACME.io/x" }', 'hooks.acme.io'],
  ['assistantServer: { url: "https://user:pw@hooks.acme.io/" }', 'hooks.acme.io'],
  ['assistantProvider: custom-llm\nassistantLLMUrl: https://llm.acme.io/v1', 'llm.acme.io'],
  ['backgroundSound: https://sounds.acme.io/office.mp3', 'sounds.acme.io'],
  ['assistantServer: { fallback: [{ to: " wss://elsewhere.acme.io/" }] }', 'elsewhere.acme.io'],
])('the host of %s', async (text, host) => {
  expect(await hosts(`name: A\n${text}\n`)).toEqual([host])
})

test.each([
  ['${env:HOOK}', { HOOK: 'https://secret.acme.io/x' }, '${env:HOOK}'],
  ['${env:HOOK}/path', { HOOK: 'https://secret.acme.io' }, '${env:HOOK}'],
  ['https://${env:KEY}.evil.acme.io/x', { KEY: 's3cret' }, '${env:KEY}.evil.acme.io'],
  ['https://hooks.acme.io:${env:PORT}/x', { PORT: '8443' }, 'hooks.acme.io:${env:PORT}'],
  ['https://${env:U}:${env:P}@hooks.acme.io/x', { U: 'u', P: 'p' }, 'hooks.acme.io'],
  ['https://hooks.acme.io/${env:KEY}', { KEY: 's3cret' }, 'hooks.acme.io'],
  ['${env:HOOK:-https://evil.acme.io/}', {}, 'evil.acme.io'],
])('a host never shows what came from the environment: %s', async (url, env, host) => {
  expect(await hosts(`name: A\nassistantServer: { url: "${url}" }\n`, env)).toEqual([host])
})

test.each([
  'http://127.0.0.1:4010/',
  'http://localhost:3000/hook',
  'http://[::1]/',
  'https://hooks.example.com/x',
  'https://bikes.example/x',
  'https://hooks.example.test/x',
])('%s is named, and is no host that has to be agreed to', async url => {
  const text = `name: A\nassistantServer: { url: "${url}" }\n`
  expect(await hosts(text)).toEqual([new URL(url).host])
  expect(await hosts(text, {}, true)).toEqual([])
})

test.each(['https://127.0.0.1.acme.io/', 'https://example.com.acme.io/', 'https://localhost@acme.io/'])(
  '%s only looks like one of those',
  async url => {
    expect(await hosts(`name: A\nassistantServer: { url: "${url}" }\n`, {}, true)).toHaveLength(1)
  },
)

test('a text about an address, and the answers of a knowledge base, name no host', async () => {
  expect(await hosts('name: A\nassistantSystemPrompt: See https://acme.io/help\n')).toEqual([])
  const faq = 'knowledgeBaseId: k\nfaq: [{ question: Where?, answer: "https://acme.io/" }]\n'
  expect(accessOf([await checked(faq, {}, 'knowledge-base')]).hosts).toEqual([])
})

test('every file that is included, by its path in the project', async () => {
  const file = await checked('name: "${file:../b.md} ${file:more.md}"\n', {}, 'assistant', {
    'b.md': 'b',
    'assistants/more.md': 'more',
  })
  expect(accessOf([file])).toMatchObject({ files: ['assistants/more.md', 'b.md'], outsideFiles: [] })
})

test('what one has beyond another', () => {
  const known = { variables: ['A'], files: ['a.md'], outsideFiles: [], hosts: ['a.io', 'b.io'] }
  const now = { variables: ['A', 'B'], files: ['a.md', 'b.md'], outsideFiles: ['/x'], hosts: ['a.io'] }
  expect(accessBeyond(now, known)).toEqual({
    variables: ['B'],
    files: ['b.md'],
    outsideFiles: ['/x'],
    hosts: [],
  })
})
