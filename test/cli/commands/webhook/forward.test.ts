import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import type { Clock } from '../../../../src/lib/clock.ts'
import { forwardFolder } from '../../../../src/lib/fs/user-folders.ts'
import {
  eventOf,
  forward,
  numbers,
  numbersOf,
  startForwarding,
  to,
  until,
} from '../../../events/forward/forwarding.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { listenOnLoopback } from '../../../helpers/loopback.ts'
import { reservePort } from '../../../helpers/ports.ts'
import { noPause, realClock } from '../../../helpers/real-clock.ts'
import { startListening, startTail } from '../../../helpers/start-command.ts'
import { ok, startTarget } from '../../../helpers/target-server.ts'
import { testCli } from '../../../helpers/test-cli.ts'

test('sends no leftover events while the port is in use, but with a free one', async () => {
  const target = await startTarget(() => undefined)
  const env = { CALLYARD_CONFIG_DIR: await temporaryFolder() }
  const earlier = await startForwarding({ targets: [to(target.url)], folder: forwardFolder(env) })
  for (const number of numbers(3)) forward(earlier.forwarder, eventOf('c', number))
  await until(() => target.arrivals.length === 1)
  await earlier.close()
  target.answer = ok

  const { origin } = await listenOnLoopback(createServer())
  const cli = await testCli({}, { env })
  const argv = ['webhook', 'tail', '--forward', target.url, '--resume', '--port']
  const refused = await cli.run(...argv, new URL(origin).port)
  expect(refused.exitCode).toBe(9)
  expect(refused.stderr).toContain(`3 events from an earlier run for ${target.url}`)
  expect(target.arrivals).toHaveLength(1)

  const tail = await startListening(cli, [...argv, '0'], { clock })
  await until(() => target.arrivals.length === 4)
  expect((await tail.end()).exitCode).toBe(0)
  expect(numbersOf(target.arrivals.slice(1))).toEqual([0, 1, 2])
})

test.each([
  ['a tunnel program that is not there', ['--tunnel', 'no-such-program-anywhere']],
  ['a flag that says nothing', ['--tunnel-url', 'abc']],
])('%s sends nothing of what an earlier tail left', async (_, flags) => {
  const target = await startTarget(() => undefined)
  const env = { CALLYARD_CONFIG_DIR: await temporaryFolder() }
  const earlier = await startForwarding({ targets: [to(target.url)], folder: forwardFolder(env) })
  for (const number of numbers(3)) forward(earlier.forwarder, eventOf('c', number))
  await until(() => target.arrivals.length === 1)
  await earlier.close()
  target.answer = ok

  const cli = await testCli({}, { env })
  const argv = ['webhook', 'tail', '--port', '0', '--forward', target.url, '--resume']
  expect((await cli.run(...argv, ...flags)).exitCode).toBe(2)
  expect(target.arrivals).toHaveLength(1)
  const tail = await startListening(cli, argv, { clock })
  await until(() => target.arrivals.length === 4)
  expect((await tail.end()).exitCode).toBe(0)
})

test('--forward-retries prints an event for each retry, and another one for the last failure', async () => {
  const target = await startTarget(response => response.writeHead(503).end('busy'))
  const cli = await testCli()
  const tail = await startTail(cli, ['--json', '--forward', target.url, '--forward-retries', '2'], { clock })
  await tail.post(eventOf('c1', 0))
  await tail.printed('forward-failed')
  const { exitCode, stdout } = await tail.end()
  expect(exitCode).toBe(8)
  const attempts = stdout.split('\n').flatMap(line => (line.includes('"forward-') ? [JSON.parse(line)] : []))
  expect(attempts).toMatchObject([
    { kind: 'forward-retried', target: target.url, callId: 'c1', status: 503, body: 'busy', again: 500 },
    { kind: 'forward-retried', again: 1000 },
    { kind: 'forward-failed', status: 503 },
  ])
  expect(target.arrivals).toHaveLength(3)
})

test('--drain 0s waits for no delivery, and the next tail makes it', async () => {
  const target = await startTarget(() => undefined)
  const cli = await testCli()
  const argv = ['webhook', 'tail', '--port', '0', '--forward', target.url]
  const tail = await startListening(cli, [...argv, '--drain', '0s'], { clock })
  await tail.post(eventOf('c1', 0))
  await until(() => target.arrivals.length === 1)
  const { exitCode, stderr } = await tail.end()
  expect(exitCode).toBe(8)
  expect(stderr).not.toContain('Waiting')
  expect(stderr).toContain('--resume')
  target.answer = ok
  const next = await startListening(cli, [...argv, '--resume'], { clock })
  await until(() => target.arrivals.length === 2)
  expect((await next.end()).exitCode).toBe(0)
})

test('no response or event text starts its own line', async () => {
  const forged = 'x\nerror: forged\r\nwarning: forged'
  const target = await startTarget(response => response.writeHead(500).end(forged))
  const cli = await testCli()
  const tail = await startTail(cli, ['--forward', target.url], { clock })
  await tail.post({ message: { type: forged, call: { id: forged } } })
  await tail.printed('responded 500')
  const { stderr } = await tail.end()
  expect(stderr).toContain('x\\nerror: forged')
  expect(stderr).not.toMatch(/^\s*(?:error|warning): forged/m)
})

test.each(['127.0.0.1', 'localhost', '[::1]'])('a listener does not forward to itself at %s', async host => {
  const port = await reservePort()
  const cli = await testCli()
  const argv = ['webhook', 'tail', '--port', String(port), '--forward', `http://${host}:${port}/`]
  const { exitCode, stderr } = await cli.run(...argv)
  expect(exitCode).toBe(2)
  expect(stderr).toContain('is this listener itself')
})

test('a person reads of retries, but not of thousands', async () => {
  const target = await startTarget(response => response.writeHead(503).end('busy'))
  const cli = await testCli()
  const tail = await startTail(cli, ['--forward', target.url, '--forward-retries', '40'], { clock })
  await tail.post(eventOf('c1', 0))
  await tail.printed('responded 503: busy\n')
  const { stderr } = await tail.end()
  const told = `${target.url}: status-update of c1 after`
  expect(
    stderr.split('\n').filter(line => line.includes(told) && line.includes('; retrying in')),
  ).toHaveLength(20)
  expect(stderr).toContain(`further retries of this kind for ${target.url} are not shown`)
  expect(target.arrivals).toHaveLength(41)
})

test.each([
  [['--forward-retries', '2'], '--forward-retries requires --forward'],
  [['--forward-header', 'x-token: abc'], '--forward-header requires --forward'],
  [['--skip-repeats'], '--skip-repeats requires --forward'],
  [['--resume'], 'add --forward <[type=]url>, or remove --resume'],
  [['--forward', 'http://127.0.0.1:9/', '--forward-retries', '101'], 'from 0 to 100'],
  [['--forward', 'http://127.0.0.1:9/', '--forward-retries', '-1'], 'from 0 to 100'],
  [['--forward', 'http://127.0.0.1:9/', '--forward-retries', 'x'], 'from 0 to 100'],
])('%j is wrong usage', async (argv, said) => {
  const cli = await testCli()
  const result = await cli.run('webhook', 'tail', '--port', '0', ...argv)
  expect(result.exitCode).toBe(2)
  expect(result.stderr).toContain(said)
})

/** Pauses end at once, the time that it gives others does not. */
const clock: Clock = {
  now: realClock.now,
  sleep: (milliseconds, signal) =>
    milliseconds > 5000 ? realClock.sleep(milliseconds, signal) : noPause(signal),
}
