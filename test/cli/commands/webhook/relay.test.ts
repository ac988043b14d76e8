import { describe, expect, test } from 'vitest'
import { readStream, startNatsServer } from '../../../helpers/nats-server.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { startListening } from '../../../helpers/start-command.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { callEvent } from '../../../relay/start-test-relay.ts'

/** Starts a relay for a person; resolves once it listens. */
function startRelay(cli: TestCli, flags: readonly string[], env: Record<string, string> = {}) {
  const free = ['--port', '0', '--status-port', '0', '--max-bytes', '100mb', '--spool', 'spool']
  return startListening(cli, ['webhook', 'relay', ...free, ...flags], { env })
}

describe('webhook relay', { tags: 'nats-server' }, () => {
  test('a person reads where it listens, what it did and how many events were published', async () => {
    const broker = await startNatsServer()
    const cli = await testCli()
    const relay = await startRelay(
      cli,
      ['--stream', 'team', '--path', '/hook', '--require-header', 'x-token: s3cret'],
      {
        NATS_URL: broker.url,
      },
    )
    const post = (headers: Record<string, string>) =>
      fetch(relay.url, { method: 'POST', body: JSON.stringify(callEvent('c1')), headers })
    expect(relay.url).toMatch(/\/hook$/)
    expect((await post({ 'x-token': 's3cret' })).status).toBe(200)
    expect((await post({})).status).toBe(401)
    const { exitCode, stdout, stderr } = await relay.end()
    expect([exitCode, stdout]).toEqual([0, ''])
    expect(stderr).toContain('Created stream team')
    expect(stderr).toContain('rejected a request with 401')
    expect(stderr).toContain('1 event received, 1 rejected, 1 message published')
    const [message] = await readStream(broker.url, 'team')
    expect(JSON.parse(message?.headers['Callyard-Request'] ?? '')).toMatchObject({ 'x-token': '****' })
  })

  test('a stream with other limits is used as it is, with a warning, and changed with --update', async () => {
    const broker = await startNatsServer()
    const cli = await testCli()
    const run = async (...flags: string[]) => {
      const relay = await startRelay(cli, ['--nats', broker.url, ...flags])
      return (await relay.end()).stderr
    }
    await run('--keep', '24h')
    expect(await run('--keep', '48h')).toContain('max_age is 86400s instead of 172800s')
    expect(await run('--keep', '48h', '--update')).toContain(
      'Updated stream calls: max_age from 86400s to 172800s',
    )
    expect(await run('--keep', '48h')).not.toContain('max_age')
  })

  test('a spool of another stream, and one that is in use, are conflicts', async () => {
    const broker = await startNatsServer()
    const cli = await testCli()
    const first = await startRelay(cli, ['--nats', broker.url])
    const flags = ['webhook', 'relay', '--port', '0', '--status-port', '0', '--max-bytes', '100mb']
    const run = (...more: string[]) =>
      cli.runWith({ clock: realClock }, ...flags, '--nats', broker.url, '--spool', 'spool', ...more)
    expect(await run()).toMatchObject({ exitCode: 9, stderr: expect.stringContaining('another relay') })
    await first.end()
    const other = await run('--stream', 'other', '--json')
    expect(other.exitCode).toBe(9)
    expect(JSON.parse(other.stdout).error).toMatchObject({ code: 'spool-of-other-stream', stream: 'calls' })
  })
})

test.each([
  ['--nats', 'ada', 'not a valid URL'],
  ['--nats', 'http://127.0.0.1:4222', 'scheme is not supported. Use a URL such as nats://'],
  ['--nats', 'nats://', 'no host name'],
  ['--nats', 's3cret:ada@127.0.0.1', 'scheme'],
  ['--nats', 'nats://ada:s3cret@127.0.0.1:4222', '--nats-creds'],
  ['--stream', 'a.b', 'letters'],
])('%s %s is an error of usage', async (flag, value, hint) => {
  const cli = await testCli()
  const { exitCode, stderr } = await cli.run('webhook', 'relay', flag, value)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(hint)
  expect(stderr).not.toContain('s3cret')
})

test('a server that is not there is an error, and a token in NATS_URL is not printed', async () => {
  const cli = await testCli()
  const flags = ['webhook', 'relay', '--port', '0', '--status-port', '0', '--spool', 'spool']
  const absent = await cli.run(...flags, '--nats', 'nats://127.0.0.1:1')
  expect(absent).toMatchObject({ exitCode: 6, stdout: '' })
  const { exitCode, stderr } = await cli.runWith({ env: { NATS_URL: 'nats://t0ken@x:1' } }, ...flags)
  expect(exitCode).toBe(2)
  expect(stderr).not.toContain('t0ken')
})
