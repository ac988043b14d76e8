import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventOf } from '../../../events/forward/forwarding.ts'
import { startTail } from '../../../helpers/start-command.ts'
import { startTarget } from '../../../helpers/target-server.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const secret = 's3cret-of-the-test'

const cliWith = (header: string, env: Record<string, string> = {}) =>
  testCli({ 'header.txt': header, 'empty.txt': '\n', 'broken.txt': `x-token ${secret}\n` }, { env })

test.each([
  ['whole', `X-Token: ${secret}`],
  ['of a variable', 'X-Token=env:HOOK_TOKEN'],
  ['of a file', '@header.txt'],
])('trigger sends a header that is given %s', async (_, header) => {
  const server = await startTarget()
  const cli = await cliWith(`X-Token: ${secret}\r\n\n`, { HOOK_TOKEN: secret })
  const result = await cli.run('webhook', 'trigger', 'status-update', '--to', server.url, '--header', header)
  expect(result.exitCode).toBe(0)
  expect(server.arrivals[0]?.headers).toMatchObject({ 'x-token': secret })
  expect(result.stdout + result.stderr).not.toContain(secret)
})

test('a file holds several headers, beside others', async () => {
  const server = await startTarget()
  const cli = await cliWith(`x-a: 1\nx-b: 2\n`)
  await cli.run(
    ...['webhook', 'trigger', 'status-update', '--to', server.url],
    ...['--header', '@header.txt', '--header', 'x-c: 3'],
  )
  expect(server.arrivals[0]?.headers).toMatchObject({ 'x-a': '1', 'x-b': '2', 'x-c': '3' })
})

test('tail requires and forwards headers of variables and files, and shows none', async () => {
  const target = await startTarget()
  const cli = await cliWith(`x-forwarded-token: ${secret}`, { REQUIRED: secret })
  const flags = ['--json', '--debug', '--require-header', 'x-token=env:REQUIRED']
  const tail = await startTail(cli, [...flags, '--forward', target.url, '--forward-header', '@header.txt'])
  expect(await tail.post(eventOf('c', 1))).toBe(401)
  expect(await tail.post(eventOf('c', 1), { 'x-token': secret })).toBe(200)
  await target.arrived(1)
  const { exitCode, stdout, stderr } = await tail.end()
  expect(exitCode).toBe(0)
  expect(target.arrivals[0]?.headers).toMatchObject({ 'x-forwarded-token': secret })
  expect(stdout + stderr).not.toContain(secret)
})

test.each([
  [
    'a variable that is not set',
    ['--header', 'x=env:NOT_SET'],
    'the environment variable NOT_SET, which is not set',
  ],
  ['a value with a line break', ['--header', 'x=env:BROKEN'], 'BROKEN, which holds what no header can have'],
  ['no such file', ['--header', '@nowhere.txt'], 'nowhere.txt: no such file'],
  ['an empty file', ['--header', '@empty.txt'], 'empty.txt: it has no header'],
  ['a file of something else', ['--header', '@broken.txt'], "broken.txt: line 1 is not 'name: value'"],
  ['one twice', ['--header', '@header.txt', '--header', 'X-TOKEN: 1'], 'x-token is given twice'],
  ['one of the connection', ['--header', '@host.txt'], 'host cannot be chosen'],
])('%s is wrong usage, and no value is shown', async (_, flags, message) => {
  const cli = await testCli(
    {
      'header.txt': `x-token: ${secret}`,
      'host.txt': `host: ${secret}`,
      'empty.txt': '\n',
      'broken.txt': `x-token ${secret}\n`,
    },
    { env: { BROKEN: `${secret}\nx: y` } },
  )
  const argv = ['webhook', 'trigger', 'status-update', '--to', 'http://127.0.0.1:9/', ...flags]
  const { exitCode, stdout, stderr } = await cli.run(...argv, '--debug')
  expect({ exitCode, stdout }).toEqual({ exitCode: message.includes('.txt') ? 3 : 2, stdout: '' })
  expect(stderr).toContain(`--header`)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain(secret)
})

test('--require-header accepts one header', async () => {
  const cli = await testCli({ 'two.txt': 'a: 1\nb: 2\n' })
  await chmod(join(cli.folder, 'two.txt'), 0o600)
  const { exitCode, stderr } = await cli.run('webhook', 'tail', '--require-header', '@two.txt')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: 'error: --require-header takes one header, and the file has 2\n',
  })
})
