import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { toolText } from '../../../helpers/resources.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const path = '/assistants/v1/assistants'

test.each([
  ['assistant', 'create', '-'],
  ['faq', 'push', '-'],
  ['validate', '-', '--kind', 'tool'],
  ['tool', 'try', '-'],
  ['tool', 'update', '-', 'book.yaml'],
  ['faq', 'ask', 'Who are you?', '-'],
  ['call', 'chat', '-'],
  ['call', 'start', '--from', '+12025550100', '--to', '+12025550101', '--assistant', '-'],
  ['batch', 'plan', '-'],
  ['batch', 'status', '-'],
  ['batch', 'pause', '-'],
  ['batch', 'export', '-'],
])('%s %s says that stdin is not read', async (...argv) => {
  const cli = await testCli({ 'book.yaml': toolText('book') })
  const { exitCode, stdout, stderr } = await cli.run(...argv)
  expect({ exitCode, requests: cli.requests }).toEqual({ exitCode: 3, requests: [] })
  expect(stdout + stderr).toContain('stdin is not read here')
})

test('creates an assistant with the vocabulary’s real words', async () => {
  const cli = await testCli({
    'callyard.yaml': 'vocabulary:\n  <provider_1>: acme\n  Rtc: Acme\n',
    'desk.yaml': 'name: Desk\nassistantProvider: <provider_1>\nstartSpeakingOptions: { RtcBaseValue: 2 }\n',
  })
  cli.answer('POST', path, { json: { _id: 'a1', name: 'Desk' } })
  expect(await cli.run('assistant', 'create', 'desk.yaml')).toMatchObject({
    exitCode: 0,
    stdout: 'Created assistant a1 (Desk)\n',
  })
  expect(cli.requests[0]?.body).toEqual({
    name: 'Desk',
    assistantProvider: 'acme',
    startSpeakingOptions: { AcmeBaseValue: 2 },
  })
})

test('without a file, a form asks, saves the YAML and creates', async () => {
  const cli = await testCli()
  cli.answer('POST', path, { json: { _id: 'a1', name: 'Desk' } })
  cli.type('Desk', 'Hello', 'automatic', 'You are kind.', '15', '', 'desk.yaml')
  expect(await cli.run('assistant', 'create')).toMatchObject({ exitCode: 0 })
  const expected = {
    name: 'Desk',
    welcomeMessage: 'Hello',
    welcomeMessageMode: 'automatic',
    assistantSystemPrompt: 'You are kind.',
    maxCallDuration: 15,
  }
  expect(cli.requests[0]?.body).toEqual(expected)
  expect(parse(await cli.read('desk.yaml'))).toEqual(expected)
})

test('the form never overwrites a file', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Old\n' })
  cli.type('Desk', '', '', '', '', '', 'desk.yaml')
  const result = await cli.run('assistant', 'create')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('already exists; nothing was sent')
  expect(await cli.read('desk.yaml')).toBe('name: Old\n')
})

test('the form asks for provider and model only if the vocabulary has several', async () => {
  const cli = await testCli({
    'callyard.yaml': 'vocabulary:\n  <provider_1>: acme\n  <model_2>: acme-large\n',
  })
  cli.answer('POST', path, { json: { _id: 'a1', name: 'Desk' } })
  cli.type('Desk', 'Hello', 'automatic', '', 'acme', 'acme-large', '15', '', '')
  expect(await cli.run('assistant', 'create')).toMatchObject({ exitCode: 0 })
  expect(cli.requests[0]?.body).toMatchObject({
    assistantProvider: 'acme',
    assistantModel: 'acme-large',
  })
})

test('the form never runs without a terminal', async () => {
  const cli = await testCli()
  expect(await cli.run('assistant', 'create')).toMatchObject({ exitCode: 2, stdout: '' })
})

test('all findings of the file are shown, warnings too', async () => {
  const cli = await testCli({
    'desk.yaml': 'idleTimeout: 3\nendCallMessage: bye\nttsAudioCacheScope: global\nnam: x\n',
  })
  const { exitCode, stderr, stdout } = await cli.run('assistant', 'create', 'desk.yaml', '--json')
  expect(exitCode).toBe(3)
  const { error } = JSON.parse(stdout)
  expect(error.diagnostics.map(({ code }: { code: string }) => code).sort()).toEqual([
    'deprecated',
    'missing',
    'needs',
    'out-of-range',
    'unknown-key',
  ])
  expect(stderr).toContain('desk.yaml:1:14')
})

test('accepts a response that contains only an id', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { _id: 'a1', name: null } })
  expect(await cli.run('assistant', 'create', 'desk.yaml')).toMatchObject({
    exitCode: 0,
    stdout: 'Created assistant a1\n',
  })
})
