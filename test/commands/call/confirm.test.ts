import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { type TestCli, testCli } from '../../helpers/test-cli.ts'

const start = ['call', 'start', '--from', '+12025550100', '--to', '+1 202 555 0123'] as const
const baseUrl = 'https://calls.example.test'

/** A service far away: behind a proxy, which notes who wants to reach it, and leads nowhere. */
async function farAway(files: Readonly<Record<string, string>> = {}): Promise<TestCli & { asked: string[] }> {
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  const { origin } = await listenOnLoopback(proxy)
  const cli = await testCli(files, { env: { CALLWRIGHT_BASE_URL: baseUrl, HTTPS_PROXY: origin } })
  return { ...cli, asked }
}

test('a person reads service, assistant and numbers, and asked before it rings', async () => {
  const cli = await farAway({ 'desk.yaml': 'name: Desk\n' })
  cli.type('n')
  const result = await cli.run(...start, '--assistant', 'desk.yaml')
  expect(result).toEqual({
    exitCode: 130,
    stdout: '',
    stderr: [
      `Service    ${baseUrl}`,
      'Assistant  desk.yaml, sent inline',
      'From       +12025550100',
      'To         +12025550123',
      'Cancelled; no call was placed',
      '',
    ].join('\n'),
  })
  expect(cli.asked).toEqual([])
})

test.each([
  ['a yes', ['y'], []],
  ['--yes', ['never asked'], ['--yes']],
  ['a script', [], []],
  ['--json', ['never asked'], ['--json']],
  ['--no-input', ['never asked'], ['--no-input']],
])('%s places the call', async (_, typed, flags) => {
  const cli = await farAway()
  cli.type(...typed)
  await cli.run(...start, ...flags)
  expect(new Set(cli.asked)).toEqual(new Set(['calls.example.test:443']))
})

test('call connect asks too, and --quiet does not hide what the question is about', async () => {
  const cli = await farAway()
  cli.type('n')
  const { exitCode, stderr } = await cli.run(
    ...['call', 'connect', '--phone-number-id', 'pn_1', '--to', '+12025550123', '--customer-name', 'Ada'],
    ...['--assistant-id', 'a1', '--quiet'],
  )
  expect(exitCode).toBe(130)
  expect(stderr).toContain('Assistant        a1\n')
  expect(stderr).toContain('Phone number id  pn_1\n')
  expect(stderr).toContain('Customer         +12025550123 (Ada)\n')
  expect(cli.asked).toEqual([])
})

test('without a key the question is not asked', async () => {
  const cli = await testCli({}, { env: { CALLWRIGHT_BASE_URL: baseUrl, CALLWRIGHT_API_KEY: undefined } })
  cli.type('never asked')
  expect(await cli.run(...start)).toMatchObject({ exitCode: 4 })
})

test('on this machine no phone rings: nothing is asked', async () => {
  const cli = await testCli()
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  cli.type('never asked')
  expect(await cli.run(...start)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(': no phone rings'),
  })
})

test('the service is named by the profile that it is from', async () => {
  const cli = await testCli({}, { env: { CALLWRIGHT_BASE_URL: undefined } })
  await cli.runWith(
    { input: 'key-of-the-test' },
    'profile',
    'add',
    'bikes',
    '--base-url',
    cli.baseUrl,
    '--api-key-stdin',
  )
  cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
  const { stdout } = await cli.run(...start, '--profile', 'bikes')
  expect(stdout).toBe('Call CC-1 placed +12025550100 → +12025550123\non bikes: no phone rings\n')
})
