import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../../src/lib/clock.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { startNatsServer } from '../../../helpers/nats-server.ts'
import { startCommand } from '../../../helpers/start-command.ts'
import { ok, startTarget } from '../../../helpers/target-server.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { startBrokerWithRelay, startTestRelay } from '../../../relay/start-test-relay.ts'
import { conversation } from '../../../relay/start-test-tail.ts'
import { follow } from '../../../web/server/follow-stream.ts'

/** Starts `webhook tail --relay`. */
function startTail(cli: TestCli, url: string, ...flags: string[]) {
  return startCommand(cli, ['webhook', 'tail', '--relay', url, '--as', 'ada', ...flags])
}

describe('webhook tail --relay', { tags: 'nats-server' }, () => {
  test('prints, records and forwards each event, and leaves one without a response to the next tail', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const cli = await testCli()
    const target = await startTarget()
    const flags = ['--forward', target.url, '--record', 'calls.ndjson']
    const first = startTail(cli, broker.url, ...flags, '--drain', '100ms')
    await first.printed('Reading until Ctrl-C as ada')
    await relay.send(conversation('a', 1))
    await first.printed('a 1')
    await target.arrived(1)
    target.answer = () => undefined
    await relay.send(conversation('b', 1))
    await first.printed('b 1')
    await target.arrived(2)
    const { exitCode, stderr } = await first.end()
    expect(exitCode).toBe(8)
    expect(stderr).toContain('the next tail of this name delivers them')
    target.answer = ok
    const second = startTail(cli, broker.url, ...flags)
    await second.printed('b 1')
    await target.arrived(3)
    expect((await second.end()).exitCode).toBe(0)
    expect(target.arrivals.map(arrival => arrival.json().message.call.id)).toEqual(['a', 'b', 'b'])
    const recorded = (await cli.read('calls.ndjson')).trim().split('\n')
    expect(recorded.map(line => JSON.parse(JSON.parse(line).body).message.call.id)).toEqual(['a', 'b', 'b'])
  })

  test('runs a command for each message, and shows the calls on a page', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const cli = await testCli()
    const tail = startTail(cli, broker.url, '--exec', '/bin/cat', '--ui')
    await tail.printed('The calls are shown at')
    await relay.send(conversation('a', 2))
    await tail.printed('"messageId":"a-2"')
    const { exitCode, stderr } = await tail.end()
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('--exec run for 2 messages')])
  })

  test('--timestamps shows when an event reached the relay', async () => {
    const broker = await startNatsServer()
    const clock = { ...systemClock, now: () => Date.parse('2026-03-01T10:00:00.000Z') }
    const relay = await startTestRelay([broker.url], { clock })
    await relay.event('connected')
    const cli = await testCli()
    const tail = startTail(cli, broker.url, '--timestamps', 'iso')
    await tail.printed('Reading until')
    await relay.send(conversation('a', 1))
    await tail.printed('a 1')
    expect((await tail.end()).stdout).toContain('2026-03-01T10:00:00.000Z')
  })

  test('the page names the stream that events come from, instead of its own address', async () => {
    const { broker } = await startBrokerWithRelay()
    const cli = await testCli()
    const tail = startTail(cli, broker.url, '--ui')
    const [, page] = await tail.printed(/The calls are shown at\s+(http:\/\/127\.0\.0\.1:\d+\/\S+)/)
    const { data } = await follow(`${page}events`).until(({ event }) => event === 'hello')
    expect(data).toMatchObject({ stream: 'calls' })
    await tail.end()
  })

  test('show and replay read the stream', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const tail = startTail(await testCli(), broker.url)
    await tail.printed('Reading until')
    for (const call of ['a', 'b']) await relay.send(conversation(call, 2))
    await tail.printed('b 2')
    await tail.end()
    const cli = await testCli()
    const run = async (...argv: string[]) => {
      const { exitCode, stdout, stderr } = await cli.run(...argv, '--relay', broker.url, '--json')
      expect([exitCode, stderr]).toEqual([0, expect.any(String)])
      return stdout.startsWith('{\n') ? JSON.parse(stdout) : jsonLines(stdout)
    }
    expect(await run('webhook', 'show', '--call', 'b', '--format', 'json')).toMatchObject({
      calls: [{ callId: 'b', messages: [{ text: 'b 1' }, { text: 'b 2' }] }],
    })
    expect(await run('webhook', 'show')).toMatchObject({ calls: [{ callId: 'a' }, { callId: 'b' }] })
    expect(await run('webhook', 'replay', '--since', '1h')).toMatchObject([
      ...[{ text: 'a 1' }, { text: 'a 2' }, { text: 'b 1' }, { text: 'b 2' }],
      { kind: 'summary', calls: 2 },
    ])
    const target = await startTarget()
    expect(await run('webhook', 'replay', '--to', target.url, '--speed', 'max', '--call', 'a')).toMatchObject(
      { sent: 1, failed: 0 },
    )
    expect(target.arrivals.map(arrival => arrival.json().message.call.id)).toEqual(['a'])
  })
})

test.each([
  [['tail', '--share'], '--share requires --relay'],
  [['tail', '--relay', 'nats://x:1', '--port', '1'], '--port and --relay'],
  [['tail', '--relay', 'nats://x:1', '--resume', '--forward', 'http://x'], '--resume and --relay'],
  [['tail', '--relay', 'nats://x:1', '--since', '1h', '--new'], '--since and --new'],
  [['tail', '--relay', 'nats://ada:pw@x:1'], '--nats-creds'],
  [['tail', '--relay', 'nats://x:1', '--as', 'a b'], 'letters'],
  [['show'], 'the recording is missing'],
  [['show', 'calls.ndjson', '--relay', 'nats://x:1'], 'a file and --relay'],
  [['replay', 'calls.ndjson', '--since', '1h'], '--since requires --relay'],
])('webhook %j is a usage error', async (argv, text) => {
  const cli = await testCli()
  const { exitCode, stderr } = await cli.run('webhook', ...argv)
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)])
  expect(stderr).not.toContain('pw@')
})
