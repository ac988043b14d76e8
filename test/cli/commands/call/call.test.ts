import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

const numbers = ['--from', '+12025550100', '--to', '+12025550123']

test('places a call with all given fields, and JSON metadata as JSON', async () => {
  const cli = await testCli({
    'desk.yaml': 'welcomeMessage: hello {{name}}\n',
    'overrides.yaml': 'recordingEnabled: true\ndynamicVariables: { name: Bo, day: Monday }\n',
  })
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  const result = await cli.run(
    ...['call', 'start', '--yes', ...numbers, '--assistant', 'desk.yaml', '--overrides', 'overrides.yaml'],
    ...['--var', 'name=Ada', '--metadata', 'order=7', '--metadata', 'note=a=b', '--metadata', 'tags=["x"]'],
  )
  expect(result).toEqual({
    exitCode: 0,
    stdout: `Call CC-1 placed +12025550100 → +12025550123\non ${cli.baseUrl}\n`,
    stderr: 'Next: to watch a call, pass --follow; to receive events: callyard webhook tail\n',
  })
  expect(cli.requests[0]?.body).toEqual({
    userNumber: '+12025550123',
    assistantNumber: '+12025550100',
    metadata: { order: 7, note: 'a=b', tags: ['x'] },
    assistant: { welcomeMessage: 'hello {{name}}' },
    assistantOverrides: { recordingEnabled: true, dynamicVariables: { name: 'Ada', day: 'Monday' } },
  })
})

test('warns that the inline assistant wins', async () => {
  const cli = await testCli({ 'desk.yaml': 'welcomeMessage: hi\n' })
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  const both = ['--assistant', 'desk.yaml', '--assistant-id', 'a1']
  const { stderr } = await cli.run('call', 'start', '--yes', ...numbers, ...both)
  expect(stderr).toContain('the inline assistant is used')
  expect(cli.requests[0]?.body).toMatchObject({ assistantId: 'a1', assistant: { welcomeMessage: 'hi' } })
})

test('a number is sent in E.164 form, and rejected without its country code', async () => {
  const cli = await testCli()
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  await cli.run('call', 'start', '--yes', '--from', 'tel:+12025550100', '--to', ' +1 (202) 555-0123 ')
  expect(cli.requests[0]?.body).toMatchObject({
    assistantNumber: '+12025550100',
    userNumber: '+12025550123',
  })
  for (const number of ['2025550123', '12025550123', '+1202', '+1 202 555 0123 ext. 5', '1.2E+10', '']) {
    const argv = ['call', 'start', '--yes', '--from', '+12025550100', '--to', number]
    const { exitCode, stdout, stderr } = await cli.run(...argv)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain('--to')
  }
  expect(cli.requests).toHaveLength(1)
})

test('any number is sent with the flag', async () => {
  const cli = await testCli()
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  await cli.run('call', 'start', '--yes', '--from', '100', '--to', '200', '--allow-any-number')
  expect(cli.requests[0]?.body).toEqual({ userNumber: '200', assistantNumber: '100' })
})

test('prompts for missing numbers on a terminal, and otherwise mentions the flag', async () => {
  const cli = await testCli()
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  cli.type('+12025550100', '+12025550123', 'y')
  expect(await cli.run('call', 'start')).toMatchObject({ exitCode: 0 })
  expect(cli.requests).toHaveLength(1)
  const alone = await cli.run('call', 'start', '--to', '+12025550123')
  expect(alone.exitCode).toBe(2)
  expect(alone.stderr).toContain('--from is missing')
  const neither = await cli.run('call', 'start', '--json')
  expect(JSON.parse(neither.stdout).error).toMatchObject({
    kind: 'usage',
    message: '--from and --to are missing',
    usage: 'callyard call start [flags]',
    example: expect.stringContaining('callyard call start --from +12025550100 --to +12025550123'),
  })
  const connect = await cli.run('call', 'connect')
  expect(connect.stderr).toContain('--phone-number-id and --to are missing')
})

test('the form shows the format of a number before the first question and after an empty input', async () => {
  const instruction = 'Enter a number with its country code, such as +12025550100'
  const cli = await testCli()
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  cli.type('+12025550100', '+12025550123', 'y')
  const { stderr } = await cli.run('call', 'start')
  expect(stderr.split('\n').filter(line => line === instruction)).toHaveLength(1)
  cli.type('')
  const refused = await cli.run('call', 'start')
  expect(refused.stderr).toContain(`Number of the assistant: the question refused "": ${instruction}`)
  cli.type('2025550123')
  const local = await cli.run('call', 'start')
  expect(local.stderr).toContain('"2025550123" is not a phone number with its country code')
  cli.type('pn_1', '')
  const connected = await cli.run('call', 'connect')
  expect(connected.stderr).toMatch(new RegExp(`^${instruction.replace('+', '\\+')}\n`))
})

test('connects a call', async () => {
  const cli = await testCli()
  cli.answer('POST', '/calls/v1/conversations/connect', { json: { id: 'CC-2', status: 'queued' } })
  const result = await cli.run(
    ...['call', 'connect', '--yes', '--phone-number-id', 'pn_1', '--to', '+12025550123'],
    ...['--customer-name', 'Ada', '--assistant-id', 'a1'],
  )
  expect(result).toMatchObject({
    exitCode: 0,
    stdout: `Call CC-2 queued outbound, +12025550123\non ${cli.baseUrl}\n`,
  })
  expect(cli.requests[0]?.body).toEqual({
    direction: 'outbound',
    phoneNumberId: 'pn_1',
    customer: { number: '+12025550123', name: 'Ada' },
    assistantId: 'a1',
  })
})

test('--dry-run prints the request and sends nothing, without a key', async () => {
  const cli = await testCli({}, { env: { CALLYARD_API_KEY: undefined } })
  const result = await cli.run('call', 'start', '--yes', ...numbers, '--dry-run', '--json')
  expect(JSON.parse(result.stdout)).toEqual({
    method: 'POST',
    path: '/calls/v1/conversations',
    body: { userNumber: '+12025550123', assistantNumber: '+12025550100' },
  })
  expect(cli.requests).toEqual([])
})

test('does not place a call again if its outcome is unknown', async () => {
  const cli = await testCli()
  cli.answer('POST', '/calls/v1/conversations', { status: 500, json: { message: 'oops' } })
  const result = await cli.run('call', 'start', '--yes', ...numbers)
  expect(result.exitCode).toBe(6)
  expect(result.stderr).toContain('outcome unknown (the service responded 500): oops')
  expect(result.stderr).toContain('the call may have been placed; not retried')
  expect(cli.requests).toHaveLength(1)
})

test('findings of an inline assistant are as deep as those of a file', async () => {
  const cli = await testCli({ 'desk.yaml': 'config:\n  speech:\n    ttsData:\n      - vendr: x\n' })
  const result = await cli.run('call', 'start', '--yes', ...numbers, '--assistant', 'desk.yaml')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('desk.yaml:4:9')
  expect(result.stderr).toContain('did you mean vendor?')
})

test('a connected call whose response has no status was placed', async () => {
  const cli = await testCli()
  cli.answer('POST', '/calls/v1/conversations/connect', { json: { id: 'CC-3', status: null } })
  const flags = ['--phone-number-id', 'pn_1', '--to', '+12025550123', '--assistant-id', 'a1']
  expect(await cli.run('call', 'connect', '--yes', ...flags)).toMatchObject({
    exitCode: 0,
    stdout: `Call CC-3 placed outbound, +12025550123\non ${cli.baseUrl}\n`,
  })
})

test.each([
  ['start', 'sid', ['--yes', '--from', '+12025550100', '--to', '+12025550123'], '/calls/v1/conversations'],
  [
    'connect',
    'id',
    ['--yes', '--phone-number-id', 'pn_1', '--to', '+12025550123'],
    '/calls/v1/conversations/connect',
  ],
] as const)(
  'call %s accepts a number as %s; without an id in the response the call was placed and the response is shown',
  async (verb, key, flags, path) => {
    const cli = await testCli()
    cli.answer('POST', path, { json: { [key]: 12345 } })
    const { stdout } = await cli.run('call', verb, ...flags, '--json')
    expect(JSON.parse(stdout)).toEqual({ [key]: '12345' })
    cli.answer('POST', path, { json: { status: 'queued' } })
    const { exitCode, stderr } = await cli.run('call', verb, ...flags)
    expect(exitCode).toBe(8)
    expect(stderr).toContain('succeeded (200), and the response has no id of the call: {"status":"queued"}')
    expect(stderr).not.toMatch(/again|retr|--debug/)
    cli.answer('POST', path, { status: 201, body: 'OK' })
    expect(JSON.parse((await cli.run('call', verb, ...flags, '--json')).stdout).error).toMatchObject({
      exitCode: 8,
      status: 201,
      body: 'OK',
      outcome: 'done',
    })
  },
)

const strangers = {
  'desk.yaml':
    'name: ${env:NAME:-Desk}\nwelcomeMessage: Hi ${env:GUEST}\nassistantServer: { url: "https://hooks.example.com/${env:TOKEN}" }\n',
  'over.yaml': 'dynamicVariables: { code: "${env:TOKEN}", size: "9" }\n',
}
const secretEnv = { TOKEN: 's3cret', GUEST: 'Ada' }
const files = ['--assistant', 'desk.yaml', '--overrides', 'over.yaml']
const dryRun = [...numbers, '--dry-run', ...files, '--var', 'a=1']

test.each([
  [['call', 'start', ...dryRun]],
  [['call', 'start', ...dryRun, '--json']],
  [['call', 'connect', '--yes', '--phone-number-id', 'p1', ...dryRun.slice(2)]],
])('%j shows **** for what came from the environment', async argv => {
  const cli = await testCli(strangers, { env: secretEnv })
  const { exitCode, stdout, stderr } = await cli.run(...argv)
  expect(exitCode).toBe(0)
  expect(stdout + stderr).not.toMatch(/s3cret|Ada/)
  const body = JSON.parse(argv.includes('--json') ? stdout : stdout.slice(stdout.indexOf('\n')))
  expect(argv.includes('--json') ? body.body : body).toMatchObject({
    assistant: {
      name: 'Desk',
      welcomeMessage: 'Hi ****',
      assistantServer: { url: 'https://hooks.example.com/****' },
    },
    assistantOverrides: { dynamicVariables: { code: '****', size: '9', a: '1' } },
  })
})

test('--dry-run --show-secrets shows secrets, and --show-secrets alone is a usage error', async () => {
  const cli = await testCli(strangers, { env: secretEnv })
  const { stdout } = await cli.run('call', 'start', ...dryRun, '--show-secrets', '--json')
  expect(JSON.parse(stdout).body).toMatchObject({
    assistant: { welcomeMessage: 'Hi Ada', assistantServer: { url: 'https://hooks.example.com/s3cret' } },
    assistantOverrides: { dynamicVariables: { code: 's3cret' } },
  })
  const alone = await cli.run('call', 'start', '--yes', ...numbers, '--show-secrets')
  expect(alone).toMatchObject({ exitCode: 2, stdout: '' })
  expect(alone.stderr).toContain('--dry-run')
})
