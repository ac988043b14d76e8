import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { conversationUpdate, message, statusUpdate } from '../../../helpers/events.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { patientClock } from '../../../helpers/patient-clock.ts'
import { startTail as startCommandTail } from '../../../helpers/start-command.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { tunnelCommand, tunnelUrlFlags } from '../../../helpers/tunnel-command.ts'

test('--json prints one object per line, from ready to the summary', async () => {
  const tail = await startTail('--json', '--until', 'finished')
  await tail.post(statusUpdate('c1', 'queued', { userNumber: '+12025550123' }))
  await tail.post(conversationUpdate('c1', message('m1', 'helo')))
  await tail.post(conversationUpdate('c1', message('m1', 'hello\u009b31m')))
  await tail.post({ message: { type: 'speech-update', call: { id: 'c1' }, more: true } })
  await tail.post(statusUpdate('c1', 'finished', { analysis: { summary: 'done' } }))
  const { exitCode, stdout } = await tail.result
  expect(exitCode).toBe(0)
  expect(stdout).toContain('\\u009b31m')
  expect(jsonLines(stdout)).toEqual([
    { kind: 'ready', url: tail.url },
    { kind: 'status', callId: 'c1', status: 'queued', userNumber: '+12025550123' },
    { kind: 'message', callId: 'c1', ...message('m1', 'helo') },
    { kind: 'edit', callId: 'c1', ...message('m1', 'hello\u009b31m'), before: 'helo' },
    {
      kind: 'event',
      type: 'speech-update',
      callId: 'c1',
      event: { message: { type: 'speech-update', call: { id: 'c1' }, more: true } },
    },
    { kind: 'status', callId: 'c1', status: 'finished', ended: true, analysis: { summary: 'done' } },
    {
      kind: 'summary',
      calls: 1,
      finished: 1,
      events: 5,
      messages: 1,
      edits: 1,
      repeats: 0,
      late: 0,
      badRequests: 0,
    },
  ])
})

test('a person reads the transcript on stdout, and where to send events and the summary on stderr', async () => {
  const tail = await startTail('--until', 'finished')
  await tail.post(conversationUpdate('c1', message('m1', 'Hello', 'assistant'), message('m2', 'Hi')))
  await tail.post('not an event')
  await tail.post(statusUpdate('c1', 'finished', { analysis: { summary: 'done' } }))
  const { exitCode, stdout, stderr } = await tail.result
  expect(exitCode).toBe(0)
  expect(stdout).toBe('── c1\nassistant  Hello\nuser       Hi\n── c1 · finished\n   summary    done\n')
  expect(stderr).toContain(`assistantServer: { url: ${tail.url} }`)
  expect(stderr).toContain('rejected a request with 400')
  expect(stderr).toContain('1 call (1 finished), 2 messages, 1 bad request')
})

test('with --ui, prints the page’s URL to stderr and serves it', async () => {
  const tail = await startTail('--ui')
  await tail.post(conversationUpdate('c1', message('m1', 'Hello')))
  const page = /http:\S+\/ui-[\w-]{32}\/$/m.exec(tail.output())?.[0] ?? ''
  expect(new URL(page).origin).toBe(new URL(tail.url).origin)
  expect(await (await fetch(page)).text()).toContain('<title>callyard</title>')
  tail.end('SIGINT')
  expect((await tail.result).stdout).not.toContain('ui-')
})

test('--path, --require-header and --allow-host say which requests are taken', async () => {
  const tail = await startTail(
    '--json',
    '--path',
    '/hook',
    '--require-header',
    'X-Token: a b ',
    '--allow-host',
    'tunnel.example.test',
  )
  expect(new URL(tail.url).pathname).toBe('/hook')
  expect(await tail.post(statusUpdate('c1', 'queued'))).toBe(401)
  expect(await tail.post(statusUpdate('c1', 'queued'), { 'x-token': 'a b' })).toBe(200)
  tail.end('SIGTERM')
  const { stdout, stderr } = await tail.result
  expect(stdout).toContain('"badRequests":1')
  expect(stderr).not.toContain('a b')
})

test('with --tunnel, events go to a random path of the public URL, and others are rejected', async () => {
  const tail = await startTail('--json', '--tunnel', tunnelCommand(), ...tunnelUrlFlags)
  const { pathname, origin } = new URL(tail.url)
  expect(pathname).toMatch(/^\/[0-9a-f-]{36}$/)
  expect((await fetch(`${origin}/`, { method: 'POST', body: '{}' })).status).toBe(404)
  expect(await tail.post(statusUpdate('c1', 'queued'))).toBe(200)
  tail.end('SIGTERM')
  expect((await tail.result).stderr).not.toContain('--require-header')
})

test('--path sets the path behind a tunnel and warns about a guessable one', async () => {
  const tail = await startTail('--json', '--path', '/hook', '--tunnel', tunnelCommand(), ...tunnelUrlFlags)
  expect(new URL(tail.url).pathname).toBe('/hook')
  tail.end('SIGTERM')
  expect((await tail.result).stderr).toContain('--require-header')
})

test('a port in use is a conflict with a hint, at once', async () => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const cli = await testCli()
  const result = await cli.run('webhook', 'tail', '--port', String((server.address() as AddressInfo).port))
  expect(result).toMatchObject({ exitCode: 9, stdout: '' })
  expect(result.stderr).toContain('--port 0 for a free one')
})

test.each([
  ['--port', '70000'],
  ['--port', '-1'],
  ['--port', '4011x'],
  ['--path', 'hook'],
  ['--path', '/hook?x=1'],
  ['--require-header', 'no colon'],
  ['--require-header', 'name:'],
  ['--require-header', 'na me: value'],
  ['--allow-host', 'https://example.test'],
  ['--max-body', '10'],
  ['--until', 'tomorrow'],
])('%s %s is wrong usage', async (...argv) => {
  const cli = await testCli()
  expect(await cli.run('webhook', 'tail', ...argv)).toMatchObject({ exitCode: 2, stdout: '' })
})

async function startTail(...flags: string[]) {
  return startCommandTail(await testCli(), flags, { clock: patientClock() })
}
