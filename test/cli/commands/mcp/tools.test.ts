import { countTokens } from 'gpt-tokenizer'
import { expect, test } from 'vitest'
import { argvOf } from '../../../../src/calls/approval/index.ts'
import { findCommand } from '../../../../src/cli/commands/help/command-help.ts'
import { maxResultBytes } from '../../../../src/cli/commands/mcp/result.ts'
import { tools } from '../../../../src/cli/commands/mcp/tools.ts'
import { starterProject } from '../../../../src/cli/commands/starter-project.ts'
import { effectOf } from '../../../../src/cli/shell/cli-command.ts'
import { approvableActions } from '../../../../src/files/formats/approval.ts'
import { openMcp } from '../../../helpers/mcp-client.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { buildTree } from '../help/tree.ts'

const maxTools = 8
const maxTokens = 2500

async function inProject(...flags: string[]) {
  const cli = await testCli(starterProject())
  return { cli, ...(await openMcp(cli, ...flags)) }
}

test('lists at most eight tools in 2,500 tokens', async () => {
  const { client } = await inProject()
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'docs',
    'validate',
    'plan',
    'test',
    'chat',
    'calls',
    'prepare',
    'execute',
  ])
  expect(tools.length).toBeLessThanOrEqual(maxTools)
  expect(countTokens(JSON.stringify({ tools }))).toBeLessThanOrEqual(maxTokens)
})

test('says of each tool whether it changes anything or reaches other machines', async () => {
  const { client } = await inProject()
  const { tools } = await client.listTools()
  const hints = Object.fromEntries(
    tools.map(({ name, annotations: { readOnlyHint, openWorldHint } = {} }) => [
      name,
      [readOnlyHint, openWorldHint],
    ]),
  )
  expect(hints).toEqual({
    docs: [true, false],
    validate: [true, false],
    plan: [true, false],
    test: [false, true],
    chat: [false, false],
    calls: [true, true],
    prepare: [false, false],
    execute: [false, true],
  })
})

test('runs only commands without an effect; those of an approved action have one', async () => {
  const root = await buildTree()
  const effect = async (words: readonly string[]) => effectOf((await findCommand(root, words)).command)
  for (const [name, { runs }] of Object.entries(tools))
    for (const path of runs) expect(await effect(path.split(' ')), `${name} runs ${path}`).toBe('none')
  const to = '+12025550123'
  const actions = [
    [{ action: 'apply' }, 'changes'],
    [{ action: 'call', from: '+12025550100', to }, 'calls'],
    [{ action: 'call', phoneNumberId: 'n1', to }, 'calls'],
    [{ action: 'batch', batch: 'reminders', maxCalls: 1 }, 'calls'],
  ] as const
  for (const [action, expected] of actions) expect(await effect(argvOf(action))).toBe(expected)
  expect(new Set(actions.map(([{ action }]) => action))).toEqual(new Set(approvableActions))
})

test('answers the tools that only read', async () => {
  const { call } = await inProject()
  expect((await call('docs')).text).toContain('exit-codes')
  expect((await call('docs', { topic: 'exit-codes' })).text).toContain('EXIT CODES')
  expect((await call('docs', { command: 'call start' })).text).toContain('Call a user')
  expect((await call('docs', { schema: 'tool' })).text).toContain('urn:callyard:schema:tool')
  expect((await call('validate')).text).toContain('"errors":0')
  expect((await call('plan')).text).toContain('"address":"tool/book-appointment"')
  expect((await call('test')).text).toContain('"status":"passed"')
  expect((await call('calls')).text).toContain('"total":0')
})

test('a failure names its kind, and its message is data', async () => {
  const { cli, call } = await inProject()
  const result = await call('validate', { paths: ['missing.yaml'] })
  expect(result.isError).toBe(true)
  expect(result.text.split('\n')[0]).toMatch(/^Failed: .* \(exit code \d\)$/)
  expect(cli.requests).toEqual([])
})

test('a chat continues where it was, also for another process', async () => {
  const { cli, call, close } = await inProject()
  const { text } = await call('chat')
  expect(text).toContain('Hello there')
  const [, chat = ''] = /^Chat (\w+)\./.exec(text) ?? []
  const second = await call('chat', { chat, say: 'When are you open?' })
  expect(second.text).toContain('nine to six')
  expect(second.text).not.toContain('Hello there')
  await close()
  const next = await openMcp(cli)
  const third = await next.call('chat', { chat, say: 'Where is the workshop?' })
  expect(third.text).not.toContain('nine to six')
  expect(third.text).toContain('"role":"assistant"')
  expect((await next.call('chat', { chat: '000000000000' })).isError).toBe(true)
  expect((await next.call('chat', { chat: '../../config' })).isError).toBe(true)
})

test('commands of tools have the global flags of the server', async () => {
  const files = {
    'desk.yaml': 'name: Desk\nwelcomeMessage: "${env:GREETING}"\n',
    'vars.env': 'GREETING=Bonjour\n',
  }
  const { call } = await openMcp(await testCli(files), '--env-file=vars.env', '--timeout=90s')
  expect((await call('validate', { paths: ['desk.yaml'] })).text).toContain('"warnings":0')
  expect((await call('chat', { assistant: 'desk.yaml' })).text).toContain('Bonjour')
})

test('a chat writes no files of the project', async () => {
  const { cli, call } = await inProject()
  const { text } = await call('chat')
  const [, chat = ''] = /^Chat (\w+)\./.exec(text) ?? []
  expect((await call('chat', { chat, say: '/save-test sneaky' })).isError).toBe(false)
  await expect(cli.read('tests/sneaky.test.yaml')).rejects.toThrow('ENOENT')
})

test('a long result continues under a handle, complete and in parts of at most 2 KB', async () => {
  const { call } = await inProject()
  let { text } = await call('docs', { schema: 'assistant' })
  let whole = ''
  for (;;) {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxResultBytes)
    whole += /<data [^>]*>\n(.*)\n<\/data>/s.exec(text)?.[1] ?? ''
    const [, more] = /^continues: docs \{"more":"(.+?)"\}/m.exec(text) ?? []
    if (more === undefined) break
    text = (await call('docs', { more })).text
  }
  expect(JSON.parse(whole).result.$id).toBe('urn:callyard:schema:assistant')
})

test.each(['', 'x', '000000000000@0', '000000000000@9999', '../../../config@0'])(
  'the handle %j leads nowhere',
  async more => {
    const { call } = await inProject()
    const { isError, text } = await call('docs', { more })
    expect({ isError, leaks: text.includes('apiKey') }).toEqual({ isError: true, leaks: false })
  },
)

test.each([
  ['validate', { paths: ['--json'] }],
  ['test', { paths: ['--watch'] }],
  ['test', { paths: ['--llm-url=http://127.0.0.1:9/v1'] }],
  ['plan', { target: '--calls=x' }],
  ['calls', { id: '--events=/etc/passwd' }],
  ['docs', { command: '--version' }],
  ['chat', { assistant: '--data=/etc/passwd' }],
  ['prepare', { action: 'call', from: '--yes', to: '--yes' }],
  ['prepare', { action: 'batch', batch: '--yes', maxCalls: 1 }],
])('%s takes no flag from %j', async (name, input) => {
  const { cli, call } = await inProject('--allow', 'apply,call,batch')
  const { text } = await call(name, input)
  expect(text).not.toMatch(/unknown flag|Usage:/i)
  expect(cli.requests).toEqual([])
})

test('topics and schemas are resources', async () => {
  const { client } = await inProject()
  const { resources } = await client.listResources()
  const uris = resources.map(({ uri }) => uri)
  expect(uris).toContain('callyard://help/agents')
  expect(uris).toContain('callyard://schema/assistant')
  const { contents } = await client.readResource({ uri: 'callyard://help/agents' })
  expect(JSON.stringify(contents)).toContain('callyard approve')
})
