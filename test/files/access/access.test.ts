import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectAccess, noAccess, subtractAccess } from '../../../src/files/access/index.ts'
import { checkFile } from '../../../src/files/source/index.ts'
import type { KindName } from '../../../src/interface/words.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

async function checked(
  text: string,
  env: Record<string, string> = {},
  kind: KindName = 'assistant',
  more: Record<string, string> = {},
) {
  const folder = await temporaryFolder({ 'callyard.yaml': '', 'assistants/a.yaml': text, ...more })
  return checkFile(join(folder, 'assistants/a.yaml'), kind, { cwd: folder, env, vocabulary: {} })
}

const hosts = async (text: string, env?: Record<string, string>, needingConsent = false) =>
  collectAccess([await checked(text, env)], { needingConsent }).hosts

test('lists every referenced variable, set or not, with or without a default', async () => {
  const file = await checked('name: "${env:A} ${env:B:-b} ${env:A}"\nwelcomeMessage: "${env:C}"\n', {
    A: 'a',
  })
  expect(collectAccess([file]).variables).toEqual(['A', 'B', 'C'])
  // An unset variable is not read, so it needs no consent.
  expect(collectAccess([file], { needingConsent: true }).variables).toEqual(['A'])
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
])('does not reveal values from the environment in a host: %s', async (url, env, host) => {
  expect(await hosts(`name: A\nassistantServer: { url: "${url}" }\n`, env)).toEqual([host])
})

test.each([
  'http://127.0.0.1:4010/',
  'http://localhost:3000/hook',
  'http://[::1]/',
  'https://hooks.example.com/x',
  'https://bikes.example/x',
  'https://hooks.example.test/x',
])('%s is listed, and needs no consent', async url => {
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

test('ignores addresses within prose and in knowledge bases', async () => {
  expect(await hosts('name: A\nassistantSystemPrompt: See https://acme.io/help\n')).toEqual([])
  const faq = 'knowledgeBaseId: k\nfaq: [{ question: Where?, answer: "https://acme.io/" }]\n'
  expect(collectAccess([await checked(faq, {}, 'knowledge-base')]).hosts).toEqual([])
})

test('lists included files by their path in the project', async () => {
  const file = await checked('name: "${file:../b.md} ${file:more.md}"\n', {}, 'assistant', {
    'b.md': 'b',
    'assistants/more.md': 'more',
  })
  expect(collectAccess([file])).toMatchObject({ files: ['assistants/more.md', 'b.md'], outsideFiles: [] })
})

test('subtracts access that is already known', () => {
  const known = { ...noAccess, variables: ['A'], files: ['a.md'], hosts: ['a.io', 'b.io'] }
  const now = {
    ...{ variables: ['A', 'B'], files: ['a.md', 'b.md'], outsideFiles: ['/x'] },
    ...{ commands: ['g/a.yaml: ./b'], hosts: ['a.io'] },
  }
  expect(subtractAccess(now, known)).toEqual({
    variables: ['B'],
    files: ['b.md'],
    outsideFiles: ['/x'],
    commands: ['g/a.yaml: ./b'],
    hosts: [],
  })
})

test.each<[KindName, string, string[]]>([
  ['batch', 'list: a.csv\nfrom: "+12025550100"\ncheck: ./eligible.sh --strict\n', ['./eligible.sh --strict']],
  [
    'guard',
    'rules: [{ name: a, when: w, exec: ./b }, { name: b, when: w, url: "https://x.acme.io/" }]\n',
    ['./b'],
  ],
  ['assistant', 'name: A\ncheck: ./c\nexec: ./d\n', []],
])('the commands of a %s file', async (kind, text, commands) => {
  const file = await checked(text, {}, kind)
  expect(collectAccess([file]).commands).toEqual(commands.map(command => `assistants/a.yaml: ${command}`))
})
