import { request } from 'node:http'
import { Command } from '@commander-js/extra-typings'
import { expect, onTestFinished, test } from 'vitest'
import { type ExposureOptions, withExposureFlags } from '../../../../src/cli/commands/webhook/flags.ts'
import { openExposure, type ReachedListener } from '../../../../src/cli/commands/webhook/public-url.ts'
import { openHttpTail } from '../../../helpers/http-tail.ts'
import { manualClock } from '../../../helpers/manual-clock.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { testContext } from '../../../helpers/test-context.ts'
import { tunnelCommand, tunnelUrlFlags } from '../../../helpers/tunnel-command.ts'

const listener = {
  ...{ address: 'http://127.0.0.1:4011/hook', port: 4011 },
  allowHost: () => undefined,
  close: async () => undefined,
}
const https = ['--print', 'see https://a.example.test now']
const anyHttps = ['--tunnel-url', 'https://\\S+']

function parse(...argv: string[]): ExposureOptions {
  const command = withExposureFlags(
    new Command().exitOverride().configureOutput({ writeErr: () => undefined }),
  )
  return command.parse(argv, { from: 'user' }).opts()
}

async function open(
  options: ExposureOptions,
  context = testContext(),
  more: Pick<ReachedListener, 'after' | 'onChanged'> = {},
) {
  const hosts: string[] = []
  const allowHost = (host: string) => hosts.push(host)
  const reach = await openExposure(options, { ...listener, allowHost, ...more }, context)
  onTestFinished(async () => reach?.close())
  return { reach, hosts, context }
}

/** Sends an event through a tunnel; which name it is addressed to is the tunnel's affair. */
function post(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false }, answer => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
    })
    sent.on('error', reject)
    sent.end('{"message":{"type":"note"}}')
  })
}

test('nothing is opened when nothing is asked for', async () => {
  expect((await open(parse())).reach).toBeUndefined()
})

test('receives events through a tunnel, whose host is allowed', async () => {
  const context = testContext()
  const tail = await openHttpTail({
    host: '127.0.0.1',
    port: 0,
    path: '/hook',
    maxBodyBytes: 1000,
    clock: realClock,
  })
  onTestFinished(() => tail.close())
  const reach = await openExposure(
    parse('--tunnel', tunnelCommand(), ...tunnelUrlFlags),
    tail.source,
    context,
  )
  onTestFinished(async () => reach?.close())
  const url = (await reach?.publicUrl) ?? ''
  expect(url).toMatch(/^http:\/\/127\.0\.0\.2:\d+\/hook$/)
  expect(await post(url)).toBe(200)
  expect(context.written.stderr).toContain(`Reached at\n  ${url}`)
  expect(context.written.stdout).toBe('')
})

test('still rejects a host other than the public URL’s', async () => {
  const tail = await openHttpTail({
    host: '127.0.0.1',
    port: 0,
    path: '/',
    maxBodyBytes: 1000,
    clock: realClock,
  })
  onTestFinished(() => tail.close())
  const command = tunnelCommand('--host', 'tunnel.example.test')
  const reach = await openExposure(parse('--tunnel', command, ...tunnelUrlFlags), tail.source, testContext())
  onTestFinished(async () => reach?.close())
  const url = (await reach?.publicUrl) ?? ''
  expect(await post(url)).toBe(403)
  await openExposure(parse('--public-url', 'https://tunnel.example.test:8443'), tail.source, testContext())
  expect(await post(url)).toBe(200)
})

test('with --json, the public URL is a line of stdout', async () => {
  const { reach, hosts, context } = await open(
    parse('--tunnel', tunnelCommand(...https), ...anyHttps),
    testContext({ json: true }),
  )
  await reach?.publicUrl
  expect(JSON.parse(context.written.stdout)).toEqual({
    kind: 'public-url',
    url: 'https://a.example.test/hook',
  })
  expect(hosts).toEqual(['a.example.test'])
})

test('each change of a tunnel is reported, with what it printed, escaped', async () => {
  const clock = manualClock()
  const command = tunnelCommand('--print', 'https://a.example.test\n\x1b[2Jgone\u202e', '--life', '1')
  const { reach, context } = await open(parse('--tunnel', command, ...anyHttps), testContext({ clock }))
  await reach?.publicUrl
  await context.wrote('restarting in 1 s')
  expect(context.written.stderr).toContain('warning: the tunnel program node exited: exit code 7')
  expect(context.written.stderr).toContain('\\x1b[2Jgone\\u202e')
  await clock.advance(1000)
  await context.wrote('restarting in 2 s')
})

test('a tunnel that prints nothing is reported, also to what waits for its URL', async () => {
  const clock = manualClock()
  const { reach, context } = await open(
    parse('--tunnel', tunnelCommand('--silent'), ...anyHttps),
    testContext({ clock }),
  )
  await clock.advance(30_000)
  await expect(reach?.publicUrl).rejects.toMatchObject({ kind: 'unreachable' })
  expect(context.written.stderr).toContain('printed no public URL within 30 s')
  expect(context.written.stderr).toContain('--tunnel-url <pattern>')
})

test('nothing waits for a URL after Ctrl-C', async () => {
  const { reach, context } = await open(parse('--tunnel', tunnelCommand('--silent'), ...anyHttps))
  context.cancel()
  await expect(reach?.publicUrl).rejects.toMatchObject({ kind: 'cancelled' })
})

test('--tunnel-url selects one of several URLs', async () => {
  const command = tunnelCommand('--print', 'https://docs.example.test https://a.example.test')
  const { reach } = await open(parse('--tunnel', command, '--tunnel-url', 'test (https://\\S+)'))
  expect(await reach?.publicUrl).toBe('https://a.example.test/hook')
})

test('another URL after a restart is reported, to the caller too', async () => {
  const clock = manualClock()
  const command = tunnelCommand('--print', 'https://p{pid}.example.test', '--life', '1')
  const changes: { url: string; before: string }[] = []
  const context = testContext({ clock })
  const { reach, hosts } = await open(parse('--tunnel', command, ...anyHttps), context, {
    onChanged(change) {
      expect(context.written.stderr).toContain(`events sent to ${change.before} are lost`)
      changes.push(change)
    },
  })
  const before = await reach?.publicUrl
  await context.wrote('restarting in 1 s')
  expect(changes).toEqual([])
  await clock.advance(1000)
  await context.wrote('restarting in 2 s')
  expect(changes).toEqual([{ before, url: `https://${hosts[1]}/hook` }])
})

test.each([
  ['--public-url', 'https://a.example.test'],
  ['--tunnel', tunnelCommand(...https), ...anyHttps],
])('with %s prints nothing before the caller speaks, and accepts the host immediately', async (...flags) => {
  let say = () => {}
  const after = new Promise<void>(resolve => {
    say = resolve
  })
  const { reach, hosts, context } = await open(parse(...flags), testContext({ json: true }), { after })
  expect(await reach?.publicUrl).toBe('https://a.example.test/hook')
  expect(hosts).toEqual(['a.example.test'])
  expect(context.written).toEqual({ stdout: '', stderr: '' })
  say()
  await context.wrote('public-url')
})

test('nothing is printed when the listener never got so far', async () => {
  const after = Promise.reject(new Error('closed'))
  const { reach, context } = await open(parse('--public-url', 'https://a.example.test'), testContext(), {
    after,
  })
  await reach?.close()
  expect(context.written).toEqual({ stdout: '', stderr: '' })
})

test.each([
  ['https://hooks.example.test', 'https://hooks.example.test/hook'],
  ['https://hooks.example.test/', 'https://hooks.example.test/hook'],
  ['https://hooks.example.test/?key=1', 'https://hooks.example.test/hook?key=1'],
  ['http://hooks.example.test:8080/own/path', 'http://hooks.example.test:8080/own/path'],
])('--public-url %s is %s', async (given, url) => {
  const { reach, context } = await open(parse('--public-url', given))
  expect(await reach?.publicUrl).toBe(url)
  expect(context.written.stderr).toContain(url)
})

test('refuses a tunnel that has a public URL already', async () => {
  await expect(open({ tunnel: true, publicUrl: 'https://a.example.test/' })).rejects.toMatchObject({
    kind: 'usage',
    message: '--tunnel and --public-url cannot be used together',
  })
})

test.each([
  ['webhook', 'tail', '--port', '0'],
  ['call', 'start', '--assistant', 'desk.yaml', '--follow'],
])('--tunnel-url requires --tunnel, and a URL goes into --public-url: %s %s', async (...argv) => {
  const cli = await testCli()
  const { exitCode, stderr } = await cli.run(...argv, '--tunnel-url', 'https://hooks.example.com')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('--tunnel-url requires --tunnel')
  expect(stderr).toContain('or remove --tunnel-url; a URL that you have already goes into --public-url')
})

test('--tunnel-url without --follow mentions only --tunnel-url, although --public-url requires --follow too', async () => {
  const cli = await testCli()
  const { exitCode, stderr } = await cli.run('call', 'start', '--tunnel-url', 'https://hooks.example.com')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('--tunnel-url requires --follow')
  expect(stderr).not.toContain('--public-url')
})

test('--tunnel without a command uses the first installed program', async () => {
  expect(parse('--tunnel')).toEqual({ tunnel: true })
  await expect(open(parse('--tunnel'), testContext({ env: { PATH: '' } }))).rejects.toMatchObject({
    kind: 'usage',
    code: 'no-tunnel-program',
  })
})

test('rejects an unknown tunnel program, and names both ways to make it known', async () => {
  const cli = await testCli()
  const { exitCode, stderr } = await cli.run('webhook', 'tail', '--port', '0', '--tunnel', tunnelCommand())
  expect(exitCode).toBe(2)
  expect(stderr).toContain('the output of the tunnel program node is not known')
  expect(stderr).toMatch(/--tunnel-url <pattern>[\s\S]*--public-url <url>/)
})

test.each([
  ['--public-url', 'ftp://a.example.test'],
  ['--public-url', 'a.example.test'],
  ['--public-url', 'https://user:secret@a.example.test'],
])('refuses %s %s', (flag, value) => {
  expect(() => parse(flag, value)).toThrow(/Use /)
})
